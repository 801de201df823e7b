"""Rendered pages are cached: each asker still gets an own page, and each change is seen at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from octavo import Settings
from octavo_dashboard import Access, DashboardOptions
from octavo_dashboard.rendered_pages import RenderedPages
from octavo_library import Library
from web_clients import BROWSER, SAMPLES, browser, csrf_of, open_client


def test_each_session_gets_its_own_token_in_the_same_page(library: Library, ids: dict[str, str]) -> None:
    """The second session is answered from the cache; its forms carry its own token, which the server accepts (UI-1)."""
    client = browser(library)
    path = f"/documents/{ids['annual-report.pdf']}"
    pages = []
    for _ in range(2):
        client.cookies.clear()
        pages.append(client.get(path).text)
    first, second = map(csrf_of, pages)
    assert first != second
    assert pages[0].replace(first, second) == pages[1]
    form = {"csrf": second, "pages": "1", "kind": "visually_important"}
    headers = {"origin": str(client.base_url)}
    assert client.post(f"{path}/marks", data=form | {"csrf": first}, headers=headers).status_code == 403
    assert client.post(f"{path}/marks", data=form, headers=headers).status_code == 303
    assert "visually important" in client.get(path).text
    assert client.post(f"{path}/marks", data=form | {"remove": "1"}, headers=headers).status_code == 303
    assert "by user" not in client.get(path).text


def test_a_program_gets_no_token_of_a_session(library: Library) -> None:
    """A page without a session is another page than that of a session."""
    access = Access.of_tokens([("t" * 20, None)])
    client = open_client(library, DashboardOptions(access=access), accept="text/html")
    client.post("/login", data={"token": "t" * 20}, headers=BROWSER)
    with_session = client.get("/documents").text
    client.cookies.clear()
    alone = client.get("/documents", headers={"authorization": "Bearer " + "t" * 20}).text
    assert f'data-csrf="{csrf_of(with_session)}"' in with_session
    assert "data-csrf" not in alone
    assert 'name="csrf" value=""' in alone


def test_a_change_of_a_document_is_seen_at_once(tmp_path: Path) -> None:
    """A page of the cache is shown only as long as it says what the library holds: deletion leaves none (STO-12)."""
    with Library.open(tmp_path / "library", settings=Settings(sampling=False)) as opened:
        document = opened.ingest(SAMPLES / "field-notes.md").document
        client = browser(opened)
        path, page = f"/documents/{document.id}", f"/documents/{document.id}/pages/1"
        assert client.get(page).text == client.get(page).text
        before = client.get(path).text
        opened.document(document.id).annotations.add("note", text="Ask the harbour master")
        assert "Ask the harbour master" not in before
        assert "Ask the harbour master" in client.get(path).text
        assert "Ask the harbour master" in client.get(page).text
        opened.maintenance.purge(document.id, confirm=document.id)
        assert client.get(path).status_code == 404
        assert client.get(page).status_code == 404
        assert document.id not in client.get("/documents").text


def test_askers_with_other_rights_get_other_pages(tmp_path: Path) -> None:
    """Two corpora with the same documents have pages of their own: the name of one is not on the page of the other (STO-5)."""
    owner, tides, storms = (letter * 20 for letter in "ots")
    with Library.open(tmp_path / "library", settings=Settings(sampling=False)) as opened:
        for name in ("tides", "storms"):
            opened.corpora.create(name)
            opened.ingest(SAMPLES / "field-notes.md", corpus=name)
        access = Access.of_tokens([(owner, None), (tides, "tides"), (storms, "storms")])
        client = open_client(opened, DashboardOptions(access=access), accept="text/html")
        pages = {
            token: client.get("/documents", headers={"authorization": f"Bearer {token}"}).text
            for token in (owner, tides, storms, owner, tides)
        }
    assert "storms" not in pages[tides]
    assert "tides" not in pages[storms]
    assert "tides" in pages[owner]
    assert "storms" in pages[owner]


def test_the_cache_drops_the_pages_that_were_asked_for_longest_ago() -> None:
    rendered: list[str] = []

    def page(name: str, size: int) -> bytes:
        def render() -> bytes:
            rendered.append(name)
            return name.encode() * size

        return cache.get(name, render)

    cache = RenderedPages(most=100, longest=60)
    for name in ("a", "b", "a", "c"):
        assert page(name, 40) == name.encode() * 40
    assert rendered == ["a", "b", "c"]
    assert cache.size == 80
    page("a", 40)
    page("b", 40)
    assert rendered == ["a", "b", "c", "b"]
    page("d", 61)
    page("d", 61)
    assert rendered[-2:] == ["d", "d"]
    assert cache.size == 80


def test_a_page_that_fails_to_render_is_not_kept() -> None:
    cache = RenderedPages()

    def fail() -> bytes:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        cache.get("a", fail)
    assert cache.get("a", lambda: b"whole") == b"whole"
