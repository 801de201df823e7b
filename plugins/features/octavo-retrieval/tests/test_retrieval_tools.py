"""The set of tools: entries, schemas, searching, listing, rosters, posture, and the commands."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import jsonschema
import pytest
from octavo_cli import main
from octavo_contracts import Span, resolve_locator
from octavo_contracts.markers import find_markers, parse_marker
from octavo_library import Library
from octavo_retrieval import POSTURE, CallContext, MemorySource, ToolFailure, Toolset, posture_marker, rosters, tools
from octavo_retrieval.receipts import memory_line

KEYS = [
    "action_id",
    "domain",
    "display_name",
    "user_goal",
    "description",
    "stability_class",
    "agent_invocable",
    "invocation_bindings",
    "confirmation_policy",
    "safety_class",
    "aliases",
    "common_phrases",
    "codegen_source",
    "schema_version",
]


def test_every_tool_has_an_entry_with_all_keys_of_the_specification(offered: Toolset) -> None:
    """RET-6, RET-13: literal action ids and binding names."""
    ids = {name: tool.entry.action_id for name, tool in offered.only(["documents", "ingest"]).items()}
    assert ids == {
        "retrieve_document_pages": "document.retrieve_pages",
        "retrieve_full_document": "document.retrieve_full",
        "retrieve_memory_source": "memory.retrieve_source",
        "search_documents": "document.search",
        "list_documents": "document.list",
        "convert_to_markdown": "document.convert_to_markdown",
        "ocr_document": "q.document.ocr",
    }
    for tool in offered.values():
        entry = tool.entry.model_dump(mode="json")
        assert list(entry) == KEYS
        assert entry["safety_class"] == "read"
        assert entry["aliases"]
        assert entry["common_phrases"]
        native = entry["invocation_bindings"][0]
        assert (native["transport"], native["binding_name"]) == ("native_openclaw_tool", tool.name)
        assert native["client_exposure"]["mcp_external"] is False


def closed(schema: Any) -> bool:
    """Whether no object of a schema takes arguments that it does not name, free JSON apart."""
    if isinstance(schema, dict):
        if "properties" in schema and schema.get("additionalProperties") is not False:
            return False
        return all(closed(value) for key, value in schema.items())
    return all(closed(value) for value in schema) if isinstance(schema, list) else True


def test_schemas_are_closed_and_described(offered: Toolset) -> None:
    for tool in offered.values():
        for schema in (tool.input_schema, tool.output_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert closed(schema), tool.name
            assert all("description" in one or "$ref" in one for one in schema["properties"].values()), tool.name


def test_passages_slice_from_the_archive(library: Library, offered: Toolset) -> None:
    """RET-7: title, page, locator, score, and the passage's marker."""
    result = offered.call("search_documents", {"query": "gauge surge", "limit": 5})
    value: Any = result.value
    assert value.hits
    for hit, placed in zip(value.hits, find_markers(result.text), strict=True):
        document = library.document(hit.document_id)
        assert resolve_locator(document.canonical_text, hit.locator) == hit.snippet == placed.marker.content
        assert placed.marker.id == hit.marker_id
    assert [hit.score for hit in value.hits] == sorted((hit.score for hit in value.hits), reverse=True)
    assert result.receipt.line.startswith(f"searched the documents ({len(value.hits)} passages of ")


def test_truncated_is_set_where_there_is_more(offered: Toolset) -> None:
    """RET-5: the default limit is 20; the answer says that there is more."""
    one: Any = offered.call("search_documents", {"query": "harbour minute remark", "limit": 1}).value
    assert (len(one.hits), one.truncated) == (1, True)
    every: Any = offered.call("search_documents", {"query": "harbour minute remark"}).value
    assert (len(every.hits), every.truncated) == (20, True)
    none: Any = offered.call("search_documents", {"query": "xylophonist"}).value
    assert (none.hits, none.truncated, none.notes) == ((), False, "No passage matches. Ask with fewer or other words.")


def test_the_list_of_documents_is_paged(library: Library, offered: Toolset) -> None:
    seen: list[str] = []
    cursor: str | None = None
    while True:
        given = {"limit": 3} | ({"cursor": cursor} if cursor else {})
        page: Any = offered.call("list_documents", given).value
        seen += [one.document_id for one in page.documents]
        cursor = page.next_cursor
        assert page.truncated is (cursor is not None)
        if cursor is None:
            break
    assert seen == [one.id for one in library.documents()]


@pytest.mark.parametrize("cursor", ["x", "W10=", "é", "eyJhIjoxfQ=="])
def test_an_invalid_cursor(offered: Toolset, cursor: str) -> None:
    with pytest.raises(ToolFailure, match="The cursor is invalid") as caught:
        offered.call("list_documents", {"cursor": cursor})
    assert caught.value.code == "invalid_arguments"


class Memories:
    """A stand-in for an installed feature with memories. Two memories: one with an available source, one of a version that is no longer active."""

    def __init__(self, document_id: str) -> None:
        self._document_id = document_id

    def source_of(self, memory_id: str, *, corpus: str | None) -> MemorySource | None:
        known = {"mem-1": (self._document_id, 1), "mem-2": (self._document_id, 9), "mem-3": ("ffffffff", 1)}
        if memory_id not in known:
            return None
        document_id, version = known[memory_id]
        return MemorySource(document_id=document_id, version=version, span=Span(start=200, end=260))

    def has_memories(self, *, corpus: str | None) -> bool:
        return True


def test_a_memory_leads_to_its_pages(library: Library, ids: dict[str, str]) -> None:
    """RET-3: memory, span, pages and surrounding pages; an unresolved source has a reason."""
    offered = tools(library, memories=Memories(ids["long.vtt"]))
    found: Any = offered.call("retrieve_memory_source", {"memory_id": "mem-1", "format": "text"}).value
    assert found.source_resolved
    span = found.source_span
    assert (span.char_offset_start, span.char_offset_end) == (200, 260)
    text = library.document(ids["long.vtt"]).canonical_text[200:260]
    assert max(text.split("---")[0].strip(), text.split("---")[-1].strip(), key=len) in found.content
    assert found.source_ref.endswith(f":p{max(1, span.page_start - 1)}-{span.page_end + 1}")
    for memory, why in (
        ("mem-2", "The document was converted again since"),
        ("mem-3", "There is no document with this id"),
        ("mem-4", "There is no memory of this id"),
    ):
        lost: Any = offered.call("retrieve_memory_source", {"memory_id": memory}).value
        assert (lost.source_resolved, lost.content, lost.document_id) == (False, None, None)
        assert lost.notes.startswith(why)


def test_without_memories_a_source_is_not_resolved(
    library: Library, offered: Toolset, monkeypatch: pytest.MonkeyPatch
) -> None:
    value: Any = offered.call("retrieve_memory_source", {"memory_id": "mem-1"}).value
    assert (value.source_resolved, value.notes[:29]) == (False, "There is no memory of this id")
    monkeypatch.setattr("octavo_retrieval.memories.MEMORY_SOURCES_GROUP", "octavo.no_such_group")
    without = tools(library)
    value = without.call("retrieve_memory_source", {"memory_id": "mem-1"}).value
    assert (value.source_resolved, value.notes[:29]) == (False, "This library has no memories;")
    assert not without.has_memories()


def test_an_unknown_tool_names_the_known_ones(offered: Toolset) -> None:
    with pytest.raises(ToolFailure, match="There is no tool 'rm'") as caught:
        offered.call("rm", {})
    assert "search_documents" in str(caught.value.remedy)


@pytest.mark.parametrize("arguments", [{"query": object()}, {"query": float("nan")}, {"query": {1}}])
def test_arguments_that_json_cannot_hold(offered: Toolset, arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolFailure, match="that are not valid JSON"):
        offered.call("search_documents", arguments)


def test_groups_choose_tools(offered: Toolset) -> None:
    assert list(offered.only(["ingest"])) == ["convert_to_markdown", "ocr_document"]
    assert "ocr_document" not in offered.only(["documents"])
    with pytest.raises(ToolFailure, match="no tools of the group 'docs'"):
        offered.only(["docs"])


def test_rosters_are_offered_where_their_scope_is_active(library: Library, offered: Toolset) -> None:
    """RET-10, RET-16."""
    names = ("retrieve_document_pages", "retrieve_full_document", "retrieve_memory_source", "search_documents")
    assert rosters(offered) == {"DocumentIntelligenceAgent": names}
    assert "MemoryAgent" in rosters(tools(library, memories=Memories("ffffffff")))
    library.corpora.create("nothing-in-it")
    assert rosters(tools(library, corpus="nothing-in-it")) == {}


def test_the_posture_is_injected_only_where_something_is_in_scope() -> None:
    """RET-8."""
    assert posture_marker(documents=False, memories=False) is None
    marker = posture_marker(documents=True, memories=False)
    assert marker is not None
    assert parse_marker(marker.emit()).content == POSTURE
    assert POSTURE.startswith("Memories are compressed representations of documents")


def test_receipts_of_memory_look_ups() -> None:
    """RET-16, seed 003 §16.5."""
    assert memory_line(15, 3) == "consulted the memory graph (15 results found, 3 high-confidence)"
    assert memory_line(1, 0) == "consulted the memory graph (1 result found, 0 high-confidence)"


def test_converting_again_makes_a_version_and_says_so(library: Library, offered: Toolset, ids: dict[str, str]) -> None:
    told: list[tuple[float, float, str]] = []
    context = CallContext(progress=lambda *step: told.append(step))
    kept: Any = offered.call("convert_to_markdown", {"document_id": ids["tide-table.csv"]}, context=context).value
    assert (kept.created, kept.version, kept.notes) == (False, 1, "No new version was made: the active one is current.")
    made: Any = offered.call("convert_to_markdown", {"document_id": ids["tide-table.csv"], "reconvert": True}).value
    assert (made.created, made.version) == (True, 2)
    assert offered.call(made.next_call.tool, made.next_call.arguments).value.version == 2  # type: ignore[attr-defined]  # every document answer has it
    assert [step[:2] for step in told] == [(0, 1), (1, 1)]


def test_a_call_that_is_cancelled_says_so(offered: Toolset, ids: dict[str, str]) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(ToolFailure) as caught:
        offered.call(
            "convert_to_markdown",
            {"document_id": ids["field-notes.md"], "reconvert": True},
            context=CallContext(cancel=cancel),
        )
    assert caught.value.code == "cancelled"


def test_the_async_call_gives_the_same_answer(offered: Toolset, ids: dict[str, str]) -> None:
    arguments = {"document_id": ids["annual-report.pdf"], "pages": [2]}
    answer = asyncio.run(offered.acall("retrieve_document_pages", arguments))
    assert answer == offered.call("retrieve_document_pages", arguments)


def run(capfd: pytest.CaptureFixture[str], library: Library, *arguments: str) -> tuple[int, Any]:
    capfd.readouterr()
    code = main(["tools", *arguments, "--library", str(library.path)])
    done = capfd.readouterr()
    try:
        return code, json.loads(done.out)
    except ValueError:
        return code, done.out + done.err


def test_the_commands(capfd: pytest.CaptureFixture[str], library: Library, ids: dict[str, str]) -> None:
    code, listed = run(capfd, library, "list", "--json")
    assert code == 0
    assert [one["name"] for one in listed["tools"]][:2] == ["retrieve_document_pages", "retrieve_full_document"]
    assert "search_documents" in listed["rosters"]["DocumentIntelligenceAgent"]
    code, schemas = run(capfd, library, "schema", "--json")
    assert set(schemas["tools"]) == {one["name"] for one in listed["tools"]}
    arguments = json.dumps({"document_id": ids["annual-report.pdf"], "pages": [1]})
    code, called = run(capfd, library, "call", "retrieve_document_pages", "--args", arguments, "--json")
    assert code == 0
    assert set(called) == {"tool", "result", "receipt", "text"}
    jsonschema.validate(called["result"], schemas["tools"]["retrieve_document_pages"]["output"])
    code, shown = run(capfd, library, "call", "retrieve_document_pages", "--args", arguments)
    assert code == 0
    assert shown.startswith("<document_excerpt ")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [('{"query": 1}', "invalid_arguments"), ("[]", "invalid_arguments"), ("{", "invalid_arguments")],
)
def test_a_call_without_a_result_fails_the_command(
    capfd: pytest.CaptureFixture[str], library: Library, arguments: str, code: str
) -> None:
    exit_code, told = run(capfd, library, "call", "search_documents", "--args", arguments, "--json")
    assert exit_code == 2
    assert told["error"]["code"] == code
    exit_code, text = run(capfd, library, "call", "search_documents", "--args", arguments)
    assert exit_code == 2
    assert "octavo: " in text
