"""`retrieve_document_pages` and `retrieve_full_document`: content, truncation, and answers to bad input (RET-1, 2, 12, 14)."""

from __future__ import annotations

from typing import Any

import pytest
from octavo_contracts import resolve_locator
from octavo_contracts.markers import find_markers
from octavo_library import Library
from octavo_retrieval import ToolFailure, Toolset

PAGES = "retrieve_document_pages"


def ask(offered: Toolset, **arguments: Any) -> Any:
    return offered.call(PAGES, arguments).value


def refused(offered: Toolset, name: str = PAGES, **arguments: Any) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        offered.call(name, arguments)
    assert caught.value.remedy
    assert "\n" not in caught.value.message
    return caught.value


def test_pages_come_in_the_order_asked(offered: Toolset, ids: dict[str, str]) -> None:
    answer = ask(offered, document_id=ids["annual-report.pdf"], pages=[3, 1], format="text")
    assert (answer.pages_returned, answer.total_pages, answer.truncated, answer.notes) == ((3, 1), 3, False, "")
    assert answer.document_title == "Annual report 2025–2026"
    assert "What it cost" in answer.content.split("---PAGE 1---")[0]
    assert answer.extraction_method == "liteparse"
    assert answer.source_ref == f"{answer.document_id}:v{answer.version}:p3,1"


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_locators_of_an_answer_slice_the_archived_text(
    library: Library, offered: Toolset, ids: dict[str, str], form: str
) -> None:
    """Every page of every document: content, locator and archived text agree."""
    checked = 0
    for document in library.documents():
        if document.active_version is None or document.why_empty:
            continue
        call: tuple[str, dict[str, Any]] | None = (
            "retrieve_full_document",
            {"document_id": document.id, "format": form, "max_tokens": 300},
        )
        seen = []
        while call is not None:
            answer: Any = offered.call(*call).value
            for one in answer.excerpts:
                part = answer.content[one.start : one.end]
                if form == "text":
                    assert resolve_locator(document.canonical_text, one.locator) == part
                else:
                    assert one.markdown_span.of(document.markdown) == part
                    assert resolve_locator(document.canonical_text, one.locator) == document.page(one.page).text
                seen.append((one.page, part))
                checked += 1
            assert answer.token_count <= 300
            assert answer.truncated is (answer.next_call is not None)
            call = (answer.next_call.tool, answer.next_call.arguments) if answer.next_call else None
        whole = [(page.number, page.text if form == "text" else page.markdown) for page in document.pages]
        joined = [(number, "".join(part for page, part in seen if page == number)) for number, _ in whole]
        assert joined == whole, "following next_call returns the whole document without repetition"
    assert checked > 40


def test_twenty_pages_a_call_and_the_exact_next_call(offered: Toolset, ids: dict[str, str]) -> None:
    """RET-1: 20 pages a call; past it truncated, and the notes hold the next call."""
    answer = ask(offered, document_id=ids["long.vtt"], pages=list(range(1, 501)))
    assert answer.pages_returned == tuple(range(1, 21))
    assert answer.truncated
    assert answer.next_call.arguments["page_range"] == {"start": 21, "end": 60}
    assert answer.notes.startswith(
        "Pages 61-500 do not exist; the document has 60. Pages 1-20 returned of 60 requested."
    )
    assert '"page_range": {"start": 21, "end": 60}' in answer.notes
    assert offered.call(answer.next_call.tool, answer.next_call.arguments).value.pages_returned == tuple(range(21, 41))


def test_a_page_that_is_too_long_by_itself_is_continued(offered: Toolset, ids: dict[str, str]) -> None:
    answer = ask(offered, document_id=ids["wide.txt"], pages=[1], max_tokens=100)
    assert answer.truncated
    assert 0 < answer.token_count <= 100
    assert answer.notes.startswith("Page 1 alone has more than 100 tokens; its first part was returned. Call")
    assert answer.next_call.arguments["offset"] == len(answer.content)
    assert answer.content.endswith("\n\n"), "it is cut at a paragraph"


def test_a_budget_of_one_token_still_makes_progress(offered: Toolset, ids: dict[str, str]) -> None:
    answer = ask(offered, document_id=ids["wide.txt"], pages=[1], max_tokens=1)
    assert len(answer.content) >= 1
    assert answer.next_call.arguments["offset"] >= 1


def test_a_range_is_cut_at_a_page_boundary(offered: Toolset, ids: dict[str, str]) -> None:
    answer = ask(offered, document_id=ids["long.vtt"], page_range={"start": 5, "end": 15}, max_tokens=60)
    assert answer.pages_returned[0] == 5
    assert answer.excerpts[-1].end == len(answer.content)
    assert answer.next_call.arguments["page_range"] == {"start": answer.pages_returned[-1] + 1, "end": 15}
    assert answer.next_call.arguments["max_tokens"] == 60


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ({"pages": [0]}, "page_out_of_range", "There is no page 0; the document has pages 1 to 3"),
        ({"pages": [4]}, "page_out_of_range", "There is no page 4; the document has pages 1 to 3"),
        ({"pages": [-1, 2]}, "page_out_of_range", "There is no page -1; the document has pages 1 to 3"),
        ({"page_range": {"start": 9, "end": 12}}, "page_out_of_range", "There is no pages 9-12; the document has"),
        ({"page_range": {"start": 3, "end": 1}}, "invalid_range", "page_range ends at 1, before its start 3"),
        ({"page_range": {"start": 0, "end": 1}}, "page_out_of_range", "There is no page 0"),
        ({}, "invalid_arguments", "No pages were asked for"),
        ({"pages": [1], "section_query": "x"}, "invalid_arguments", "pages and section_query were given together"),
        ({"pages": []}, "invalid_arguments", "pages: "),
        ({"pages": ["1"]}, "invalid_arguments", "pages.0: input should be a valid integer"),
        ({"pages": [1], "colour": "red"}, "invalid_arguments", "colour: there is no such argument"),
        ({"pages": [1], "format": "html"}, "invalid_arguments", "format: "),
        ({"pages": [1], "max_tokens": 0}, "invalid_arguments", "max_tokens: "),
    ],
)
def test_bad_input_is_answered_in_one_sentence(
    offered: Toolset, ids: dict[str, str], arguments: dict[str, Any], code: str, message: str
) -> None:
    failure = refused(offered, document_id=ids["annual-report.pdf"], **arguments)
    assert (failure.code, message in failure.message) == (code, True), failure.message


def test_the_remedy_corrects_a_backwards_range(offered: Toolset, ids: dict[str, str]) -> None:
    failure = refused(offered, document_id=ids["annual-report.pdf"], page_range={"start": 3, "end": 1})
    assert failure.remedy == 'Call it again with page_range {"start": 1, "end": 3}'


@pytest.mark.parametrize("ref", ["nothing", "ffffffff", "\x00", "../../etc/passwd", "file:///etc/passwd", "é" * 4000])
def test_an_unknown_document(offered: Toolset, ref: str) -> None:
    for name, more in ((PAGES, {"pages": [1]}), ("retrieve_full_document", {}), ("ocr_document", {})):
        failure = refused(offered, name, document_id=ref, **more)
        assert (failure.code, failure.message) == ("document_not_found", "There is no document with this id")


def test_a_document_that_failed_or_holds_no_text(offered: Toolset, library: Library) -> None:
    """A blank file has no content, and the failure says so instead of giving an empty page."""
    blank = next(one for one in library.documents() if any("blank.txt" in path for path in one.paths))
    failure = refused(offered, document_id=blank.id, pages=[1])
    assert failure.code in ("document_failed", "document_without_text")


@pytest.mark.parametrize(
    ("query", "page", "by"),
    [
        ("what it cost", 3, "heading"),
        ("page 2", 3, "label"),
        ("the page iii", None, ""),
        ("how much was spent on boats", 3, "text"),
        ("purple elephants of Andromeda", None, ""),
        ("the", None, ""),
    ],
)
def test_a_section_is_found_without_a_model(
    offered: Toolset, ids: dict[str, str], query: str, page: int | None, by: str
) -> None:
    """RET-2, RET-15. The report's printed page 2 is its third."""
    answer = ask(offered, document_id=ids["annual-report.pdf"], section_query=query)
    if page is None:
        assert (answer.pages_returned, answer.content, answer.truncated) == ((), "", False)
        assert answer.notes.startswith("No section of the document matches.")
    else:
        assert answer.pages_returned[0] == page
        assert answer.matches[0].by == by
        assert answer.matches == ask(offered, document_id=ids["annual-report.pdf"], section_query=query).matches


def test_words_in_the_text_find_one_page_of_sixty(offered: Toolset, ids: dict[str, str]) -> None:
    assert ask(offered, document_id=ids["long.vtt"], section_query="narwhal tusks").pages_returned == (31,)


@pytest.mark.parametrize("query", ["Autumn 2025", "sheet autumn 2025", "the sheet Autumn 2025"])
def test_a_sheet_is_found_by_its_name(offered: Toolset, ids: dict[str, str], query: str) -> None:
    """RET-14: the sheet's stored rows, capped and continued like pages."""
    answer = ask(offered, document_id=ids["instruments.xlsx"], section_query=query, max_tokens=20)
    assert answer.excerpts[0].label == "Autumn 2025"
    assert answer.matches[0].by == "label"
    assert answer.next_call is None or "offset" in answer.next_call.arguments


def test_a_full_document_is_cut_at_50000_tokens(offered: Toolset, ids: dict[str, str]) -> None:
    answer: Any = offered.call("retrieve_full_document", {"document_id": ids["long.vtt"], "max_tokens": 200}).value
    assert answer.truncated
    assert answer.next_call.tool == PAGES
    assert answer.next_call.arguments["page_range"]["end"] == 60
    assert not offered.call("retrieve_full_document", {"document_id": ids["long.vtt"]}).value.truncated  # type: ignore[attr-defined]  # every document answer has it


def test_content_is_shown_in_a_marker_that_it_cannot_leave(offered: Toolset, ids: dict[str, str]) -> None:
    """MRK-2 through a tool."""
    result = offered.call("retrieve_full_document", {"document_id": ids["escape.md"]})
    (found,) = find_markers(result.text)
    assert found.marker.content == result.value.content  # type: ignore[attr-defined]  # every document answer has it
    assert "</document_excerpt>" in found.marker.content
    assert found.marker.attributes["document_id"] == ids["escape.md"]
    assert result.text.count("</document_excerpt>") == 1


def test_receipts_tell_the_user_what_was_read(offered: Toolset, ids: dict[str, str]) -> None:
    """RET-9."""
    receipt = offered.call(PAGES, {"document_id": ids["long.vtt"], "pages": [4, 5, 6, 9]}).receipt
    assert receipt.line == "re-read pages 4-6,9 of long.vtt"
    assert (receipt.document_id, receipt.pages, receipt.tool) == (ids["long.vtt"], "4-6,9", PAGES)
    assert receipt.source_refs == (f"{ids['long.vtt']}:v1:p4-6,9",)
