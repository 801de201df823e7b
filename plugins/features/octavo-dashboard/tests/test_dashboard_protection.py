"""Who is let in: Host, Origin, tokens, sessions, changes; and the headers of every answer."""

from __future__ import annotations

import pytest
from octavo_contracts import UsageError
from octavo_dashboard import Access, DashboardOptions, make_app
from octavo_dashboard.access import read_token_file
from octavo_dashboard.login import local_path
from octavo_dashboard.sessions import LIFETIME, Sessions
from octavo_library import Library
from starlette.testclient import TestClient
from web_clients import BROWSER, browser, csrf_of, open_client

TOKEN = "t" * 40
LOCKED = DashboardOptions(access=Access.of_tokens([(TOKEN, None)]))


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:80", "localhost:8322", "", "127.0.0.1:8321.evil"]
)
def test_another_host_name_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/documents.json", headers={"host": host})
    assert (answer.status_code, answer.json()["reason"]) == (421, "wrong_host")


def test_every_answer_has_the_headers(client: TestClient, ids: dict[str, str]) -> None:
    for path in (
        "/documents",
        "/documents.json",
        "/nothing",
        f"/documents/{ids['annual-report.pdf']}/pages/1/picture.png",
    ):
        headers = client.get(path, headers=BROWSER).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "cache-control" in headers


def test_pages_have_no_inline_script_style_or_foreign_address(client: TestClient, ids: dict[str, str]) -> None:
    for path in ("/documents", "/search?q=tide", f"/documents/{ids['annual-report.pdf']}", "/nothing"):
        text = client.get(path, headers=BROWSER).text
        assert "<style" not in text
        assert " style=" not in text
        assert " onclick=" not in text
        assert 'src="http' not in text
        assert text.count("<script") == text.count('<script src="/static/')


def test_without_a_token_a_locked_server_shows_nothing(library: Library, ids: dict[str, str]) -> None:
    program = open_client(library, LOCKED)
    for path in ("/documents.json", f"/documents/{ids['annual-report.pdf']}", "/search.json?q=tide", "/nothing", "/"):
        answer = program.get(path)
        assert (answer.status_code, answer.json()["reason"]) == (401, "token_needed")
        assert "www-authenticate" in answer.headers
    for wrong in ("", "Bearer", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", "Bearer \xff"):
        sent = {"authorization": wrong.encode("latin-1")}
        assert program.get("/documents.json", headers=sent).status_code == 401
    assert program.get("/documents.json", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_a_browser_logs_in_and_out(library: Library) -> None:
    user = browser(library, LOCKED)
    sent = user.get("/documents?q=a%26b")
    assert (sent.status_code, sent.headers["location"]) == (303, "/login?next=%2Fdocuments%3Fq%3Da%2526b")
    form = user.get(sent.headers["location"])
    assert form.status_code == 200
    wrong = user.post("/login", data={"token": "wrong", "next": "/search"}, headers={"origin": "http://127.0.0.1:8321"})
    assert wrong.status_code == 401
    assert "set-cookie" not in wrong.headers
    right = user.post("/login", data={"token": TOKEN, "next": "/search"}, headers={"sec-fetch-site": "same-origin"})
    assert (right.status_code, right.headers["location"]) == (303, "/search")
    assert "HttpOnly; SameSite=Strict" in right.headers["set-cookie"]
    page = user.get("/documents")
    assert page.status_code == 200
    assert TOKEN not in page.text
    assert user.post("/logout", data={"csrf": "0" * 64}).status_code == 403
    assert user.post("/logout", data={"csrf": csrf_of(page.text)}).status_code == 303
    assert user.get("/documents").status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:8322"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "same-origin", "origin": "https://evil.example"},
    ],
)
def test_a_change_from_another_site_is_refused(library: Library, headers: dict[str, str]) -> None:
    user = browser(library)
    csrf = csrf_of(user.get("/documents").text)
    answer = user.post("/logout", data={"csrf": csrf}, headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.text


def test_a_session_ends_with_its_time_its_token_and_its_server() -> None:
    now = 1_000_000.0
    access = Access.of_tokens([(TOKEN, "case")])
    sessions = Sessions(access, port=1, clock=lambda: now)
    session = sessions.begin(fingerprint=access.tokens[0].fingerprint)
    assert session is not None
    assert session.grant.corpus == "case"
    header = f"octavo-1={session.cookie}"
    assert sessions.of_cookies(header) == session
    now += LIFETIME + 1
    assert sessions.of_cookies(header) is None
    now -= LIFETIME
    assert Sessions(access, port=1, clock=lambda: now).of_cookies(header) is None
    assert sessions.begin() is None
    for cookie in (session.cookie[:-1], "", "a.b.c.d", "é", "\x00"):
        assert sessions.of_cookies(f"octavo-1={cookie}") is None


def test_the_address_needs_a_token_beyond_this_machine(library: Library) -> None:
    for options in (
        DashboardOptions(host="192.0.2.7"),
        DashboardOptions(host="0.0.0.0", access=LOCKED.access),
        DashboardOptions(host="::", access=LOCKED.access),
        DashboardOptions(host="name.example"),
    ):
        with pytest.raises(UsageError):
            make_app(library, options)
    allowed = DashboardOptions(host="0.0.0.0", access=LOCKED.access, allow_hosts=("docs.example:443",))
    assert open_client(library, allowed, host="docs.example:443").get("/documents.json").status_code == 401
    with pytest.raises(UsageError, match="absent"):
        make_app(library, DashboardOptions(access=Access.open_to(corpus="absent")))


def test_a_token_file_is_made_read_and_checked(tmp_path) -> None:
    path = tmp_path / "tokens"
    access, made = read_token_file(path, corpus="case")
    assert made
    assert path.stat().st_mode & 0o077 == 0
    assert access.tokens[0].grant.corpus == "case"
    path.write_text(f"# who\n{'a' * 20}\n\n{'b' * 20} second corpus\n")
    access, made = read_token_file(path, corpus=None)
    assert not made
    assert [one.grant.corpus for one in access.tokens] == [None, "second corpus"]
    for text in ("", "short\n", f"{'a' * 20}\n{'a' * 20} x\n", "é" * 20):
        path.write_text(text)
        with pytest.raises(UsageError):
            read_token_file(path, corpus=None)
    path.write_text("a" * 20)
    path.chmod(0o640)
    with pytest.raises(UsageError, match="other users"):
        read_token_file(path, corpus=None)


def test_login_leads_to_pages_of_this_server_alone() -> None:
    for given in ("//evil.example", "/\\evil.example", "https://evil.example", "javascript:x", "", "/a\nb", "/a\\b"):
        assert local_path(given) == "/documents"
    assert local_path("/search?q=1") == "/search?q=1"


def test_bad_forms_are_refused(library: Library) -> None:
    program = open_client(library, LOCKED)
    assert program.post("/login", content=b"x" * 20_000).status_code == 413
    assert program.post("/login", json={"token": TOKEN}).status_code == 415
    assert (
        program.post(
            "/login", content=b"\xff\xfe=%zz", headers={"content-type": "application/x-www-form-urlencoded"}
        ).status_code
        == 401
    )
