"""What the pages show, and that each has a JSON twin of the same content."""

from __future__ import annotations

import re
from html import unescape

import pytest
from octavo_contracts import resolve_locator
from octavo_dashboard.application import SCREENS
from octavo_library import Library
from starlette.testclient import TestClient
from web_clients import BROWSER, SAMPLES


def test_the_list_shows_every_document_and_pages_through_them(client: TestClient, library: Library) -> None:
    found: list[str] = []
    url = "/documents.json?limit=2"
    while True:
        view = client.get(url).json()
        found += [one["id"] for one in view["documents"]]
        if view["next_cursor"] is None:
            break
        page = unescape(client.get(url.replace(".json", ""), headers=BROWSER).text)
        assert f"cursor={view['next_cursor'].replace('=', '%3D')}" in page
        url = f"/documents.json?limit=2&cursor={view['next_cursor']}"
    assert found == [one.id for one in library.documents()][::-1]
    assert view["total"] == len(found)


def test_filters_reach_the_list(client: TestClient, ids: dict[str, str]) -> None:
    def listed(query: str) -> set[str]:
        return {one["id"] for one in client.get(f"/documents.json?{query}").json()["documents"]}

    assert listed("q=annual") == {ids["annual-report.pdf"]}
    assert listed("type=application/pdf") >= {ids["annual-report.pdf"]}
    assert ids["broken.pdf"] in listed("status=hard_failed")
    assert ids["annual-report.pdf"] not in listed("status=hard_failed")
    assert listed("q=no%20such%20name") == set()
    assert listed("q=%00&status=&type=") == set(ids.values()) | listed("")


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=x", "cursor=nonsense", "status=odd", "surprise=1", "q=a&q=b", f"q={'x' * 300}"]
)
def test_invalid_queries_are_refused_with_the_reason(client: TestClient, query: str) -> None:
    answer = client.get(f"/documents.json?{query}")
    assert answer.status_code == 400
    assert answer.json()["reason"] == "invalid_request"
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_document_page_has_its_facts_flags_and_versions(client: TestClient, ids: dict[str, str]) -> None:
    """UI-1."""
    url = f"/documents/{ids['annual-report.pdf']}"
    view = client.get(f"{url}.json").json()
    page = client.get(url, headers=BROWSER).text
    assert view["pages"] == 3
    assert view["has_page_images"]
    assert [one["version"] for one in view["versions"] if one["is_active"]] == [view["version"]]
    assert view["file_names"] == ["annual-report.pdf"]
    for shown in (view["raw_hash"], view["tool"], f'href="{url}/pages/3"'):
        assert shown in page


def test_a_failed_document_says_why_and_what_to_do(client: TestClient, ids: dict[str, str]) -> None:
    url = f"/documents/{ids['broken.pdf']}"
    view = client.get(f"{url}.json").json()
    page = unescape(client.get(url, headers=BROWSER).text)
    assert view["status"] == "hard_failed"
    assert view["pages"] == 0
    (failure, *_) = view["findings"]
    assert (failure["severity"], failure["flag"]) == ("failure", view["reason"])
    assert failure["remedy"]
    assert failure["remedy"] in page
    assert client.get(f"{url}/pages/1.json").status_code == 404


def test_a_page_has_its_text_picture_and_formatted_form(
    client: TestClient, ids: dict[str, str], library: Library
) -> None:
    document = library.document(ids["annual-report.pdf"])
    url = f"/documents/{document.id}/pages/2"
    view = client.get(f"{url}.json").json()
    assert view["before"] == document.page(2).text
    assert document.canonical_text[view["start"] :].startswith(view["before"])
    assert view["markdown"] == document.page(2).markdown
    picture = client.get(f"{url}/picture.png?dpi=40")
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
    assert picture.content.startswith(b"\x89PNG")
    frame = client.get(f"{url}/formatted")
    assert "sandbox" in frame.headers["content-security-policy"]
    assert "script-src" not in frame.headers["content-security-policy"]
    assert client.get(f"/documents/{document.id}/pages/99.json").status_code == 404
    assert client.get(f"/documents/{document.id}/pages/99/picture.png").status_code in (400, 404)
    assert client.get(f"/documents/{ids['field-notes.md']}/pages/1/picture.png").status_code == 404


def test_each_hit_of_a_search_leads_to_its_marked_place(client: TestClient, library: Library) -> None:
    view = client.get("/search.json?q=surge").json()
    assert view["hits"]
    for hit in view["hits"]:
        text = library.document(hit["document_id"]).canonical_text
        place, _, _ = hit["url"].partition("#")
        page = client.get(place.replace("?", ".json?")).json()
        assert page["marked"] == resolve_locator(text, hit["locator"]) == hit["snippet"]
    assert 'id="marked"' in client.get(place, headers=BROWSER).text
    assert client.get("/search.json").json()["hits"] == []
    assert client.get("/search.json?q=-only").status_code == 200


def test_documents_cannot_put_markup_into_a_page(client: TestClient, ids: dict[str, str]) -> None:
    url = f"/documents/{ids['hostile.md']}/pages/1"
    page = client.get(url, headers=BROWSER).text
    frame = client.get(f"{url}/formatted").text
    for text in (page, frame):
        for markup in ("<script>alert", 'onclick="', '<form action="https', 'src="https', "javascript:", "<style>body"):
            assert markup not in text
    assert "{{ 7 * 7 }}" in unescape(page)


def test_every_screen_has_a_page_that_names_its_twin(
    client: TestClient, path_values: dict[str, str], queries: dict[str, str]
) -> None:
    for screen in SCREENS:
        path = screen.path
        for name, value in path_values.items():
            path = path.replace(name, value)
        query = queries.get(path, "")
        page = client.get(f"{path}{query}", headers=BROWSER)
        assert page.status_code == 200, path
        assert f'href="{path}.json' in page.text
        screen.view.model_validate_json(client.get(f"{path}.json{query}").content)


def test_an_unknown_page_is_a_page_for_browsers_and_json_for_programs(client: TestClient) -> None:
    for path in ("/nothing", "/documents/nothing", f"/documents/{'0' * 8}-0000-0000-0000-{'0' * 12}", "/static/x/none"):
        page = client.get(path, headers=BROWSER)
        assert (page.status_code, page.headers["content-type"].partition(";")[0]) == (404, "text/html")
        twin = client.get(path)
        assert (twin.status_code, twin.headers["content-type"]) == (404, "application/problem+json")
    assert client.put("/documents").status_code == 405


def test_no_page_names_a_folder_of_the_machine(client: TestClient, ids: dict[str, str], library: Library) -> None:
    paths = ["/documents", "/search?q=tide", "/nothing"]
    paths += [f"/documents/{one}" for one in ids.values()]
    paths += [f"/documents/{one}/pages/1" for one in ids.values()]
    for path in paths:
        for url in (path, path.replace("?", ".json?") if "?" in path else f"{path}.json"):
            text = client.get(url, headers=BROWSER).text
            assert str(library.path.parent) not in text, url
            assert "file:///" not in text, url


def test_a_library_whose_original_is_gone_still_shows_its_text(client: TestClient, library: Library, tmp_path) -> None:
    path = tmp_path / "gone.pdf"
    path.write_bytes((SAMPLES / "annual-report.pdf").read_bytes() + b"\n% another file\n")
    done = library.ingest(path)
    assert done.result.failure_receipts == ()
    document = done.document
    path.unlink()
    url = f"/documents/{document.id}/pages/1"
    assert client.get(f"{url}.json").status_code == 200
    picture = client.get(f"{url}/picture.png")
    assert picture.status_code == 409
    assert picture.json()["reason"] == "source_missing"
    assert str(tmp_path) not in picture.text


def test_settings_have_origins_and_tools_say_what_they_lack(
    client: TestClient, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """UI-3."""
    view = client.get("/settings.json").json()
    values = {one["key"]: one for one in view["settings"]}
    assert values["sampling"] | {"variable": ""} == {
        "key": "sampling",
        "value": "off",
        "is_default": False,
        "origin": "set by the program",
        "variable": "",
    }
    assert values["ocr.dpi"]["origin"] == "default"
    monkeypatch.setenv("OCTAVO_SAMPLING", "false")
    again = {one["key"]: one for one in client.get("/settings.json").json()["settings"]}
    assert "OCTAVO_SAMPLING" in again["sampling"]["origin"]
    tools = {one["name"]: one for one in view["tools"]}
    assert tools["plaintext"]["problems"] == []
    assert all(one["remedies"] for one in view["tools"] if one["problems"])
    assert str(library.path.parent) not in client.get("/settings", headers=BROWSER).text


def test_a_corpus_is_described_with_its_policy(client: TestClient, library: Library) -> None:
    """UI-5."""
    from octavo_library.facade.corpora import CorpusSettings

    library.corpora.create("closed case", CorpusSettings(visibility="firewalled", retention=30))
    (view,) = [one for one in client.get("/corpora.json").json()["corpora"] if one["name"] == "closed case"]
    assert (view["name"], view["visibility"], view["retention"]) == ("closed case", "firewalled", "30")
    assert (view["documents"], view["standing"]) == (0, {})


def test_the_documentation_has_a_picture_of_each_page() -> None:
    """`test_dashboard_browser.py` takes them, with `OCTAVO_SCREENSHOTS` set to their folder."""
    folder = SAMPLES.parent / "how-to"
    text = (folder / "browser.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"!\[[^]]+\]\((pictures/browser-[a-z-]+\.png)\)", text))
    assert len(shown) >= len(SCREENS)
    for path in shown:
        picture = (folder / path).read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert len(picture) < 80_000
