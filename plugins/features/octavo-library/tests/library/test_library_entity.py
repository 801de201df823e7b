"""`library.catalogue.entity` is one record with every field of a document (STO-15)."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from octavo_cli import main
from octavo_contracts import ExitCode, Span
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.facade.document_entity import DocumentEntity
from octavo_library.storage import DocumentSend, FileUpload

PAGES = """\
from octavo_contracts import *
@hookimpl
def convert(source, request, context):
    pages = source.read_bytes().decode().split('\\f')
    return Conversion(pages=tuple(Page(number=n, markdown=text) for n, text in enumerate(pages, 1)), paginated=True)
"""

SPECIFIED = """
id title content_addressable_keys original_paths file_size mime_type classification raw_text_by_page raw_text_full
text_token_count structured_summary page_summaries summary_generated_at summary_model conversion_artifacts
active_conversion_version chunks page_anchor_map ingestion_status hard_fail_reason_code api_file_id api_file_uploaded_at
conversations_sent_to corpus_memberships first_opened_at first_ingested_at last_accessed_at last_reingested_at extracted_at
bookmarks highlights notes
"""


@pytest.fixture
def library(tmp_path, make_plugin):
    make_plugin("pages", PAGES)
    (tmp_path / "tides.txt").write_text("High tide at noon\fLow tide at six")
    with Library.open(tmp_path / "lib") as opened:
        yield opened


def test_the_entity_has_every_field_of_the_specification():
    """STO-15: the names are those of the specification, in snake case."""
    assert sorted(field.name for field in fields(DocumentEntity)) == sorted(SPECIFIED.split())


def test_the_entity_is_assembled_from_index_and_store(library, tmp_path):
    """STO-15: versions with tool, config and report; chunks with span and page; paths, memberships, sends and remarks."""
    document = library.ingest(tmp_path / "tides.txt", corpus="harbour", plugin="pages").document
    document.reconvert(plugin="pages")
    document = library.document(document.id)
    document.annotations.add("bookmark", text="the table", page=2)
    document.annotations.add("highlight", text="", span=Span(start=0, end=9))
    index = library.context.index
    index.conversations.record_send(DocumentSend(document_id=document.id, conversation_id="chat", tier=1, tokens=12))
    index.uploads.put(
        FileUpload(
            document_id=document.id,
            provider="anthropic",
            api_file_id="file_1",
            file_hash=document.raw_hash,
            uploaded_at="2026-11-26T10:00:00Z",
        )
    )

    entity = library.catalogue.entity(document)

    assert (entity.id, entity.mime_type, entity.file_size) == (document.id, "text/plain", 33)
    assert entity.content_addressable_keys.raw_file_hash == document.raw_hash
    assert len(entity.content_addressable_keys.page_hashes) == 2
    [path] = entity.original_paths
    assert (path.path, path.location_type, path.is_stale) == (document.paths[0], "local", False)
    assert entity.raw_text_by_page == ("High tide at noon", "Low tide at six")
    assert entity.raw_text_full == document.canonical_text
    assert entity.text_token_count == -(-len(document.canonical_text) // 4)
    first, second = entity.conversion_artifacts
    assert (first.version, first.is_active, second.version, second.is_active) == (1, False, 2, True)
    assert (second.tool, second.tool_version, second.config["profile"]) == ("pages", "1.2", "measured")
    assert second.markdown_path == f"store:by_hash/{document.raw_hash}/conversions/v2/converted.md"
    assert second.quality_report.selected_tool == "pages"
    assert entity.active_conversion_version == 2
    chunk = entity.chunks[0]
    assert entity.raw_text_full[chunk.span.start : chunk.span.end].startswith("High tide")
    assert (chunk.page, bool(chunk.chunk_id), bool(chunk.config_version)) == (1, True, True)
    assert [anchor.page for anchor in entity.page_anchor_map.anchors()] == [1, 2]
    assert (entity.ingestion_status, entity.hard_fail_reason_code) == (document.status, None)
    assert (entity.api_file_id, entity.api_file_uploaded_at) == ("file_1", "2026-11-26T10:00:00Z")
    assert entity.conversations_sent_to["chat"].tier == 1
    assert entity.first_opened_at == entity.last_accessed_at is not None
    [membership] = entity.corpus_memberships
    assert (membership.corpus, bool(membership.added_at), bool(membership.added_by)) == ("harbour", True, True)
    assert [one.page for one in entity.bookmarks] == [2]
    assert [one.quote for one in entity.highlights] == ["High tide"]
    assert entity.last_reingested_at is not None


def test_a_failed_document_and_a_purged_version_have_an_entity(library, tmp_path):
    """A document without text has no pages, chunks or artifacts, and says why."""
    failed = library.catalogue.entity(library.ingest(b"\x00\x01", name="noise.bin").document)
    assert failed.ingestion_status == "hard_failed"
    assert failed.hard_fail_reason_code is not None
    assert (failed.raw_text_full, failed.raw_text_by_page, failed.chunks, failed.conversion_artifacts) == (
        "",
        (),
        (),
        (),
    )


def test_the_entity_tells_nothing_of_another_policy_context(library, tmp_path):
    """STO-5: paths, corpora, sends, remarks and the profile of others are left out."""
    library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
    (tmp_path / "sealed.txt").write_bytes((tmp_path / "tides.txt").read_bytes())
    mine = library.ingest(tmp_path / "sealed.txt", corpus="sealed", plugin="pages").document
    mine.annotations.add("note", text="a secret")
    library.ingest(tmp_path / "tides.txt", corpus="harbour", plugin="pages")

    entity = library.catalogue.entity(library.document(mine.id, corpus="harbour"))

    assert [one.corpus for one in entity.corpus_memberships] == ["harbour"]
    assert [path.path.rpartition("/")[2] for path in entity.original_paths] == ["tides.txt"]
    assert (entity.notes, entity.conversations_sent_to) == ((), {})
    assert set(entity.conversion_artifacts[0].config) <= {
        "code_hash",
        "distribution",
        "engine_version",
        "sandbox_level",
    } | {
        "because",
        "profile",
    }
    owner = library.catalogue.entity(library.document(mine.id))
    assert {one.corpus for one in owner.corpus_memberships} == {"harbour", "sealed"}


def test_the_command_line_shows_the_entity(library, tmp_path, capfd):
    """STO-15: `octavo show DOC --entity` prints the record as JSON."""
    document = library.ingest(tmp_path / "tides.txt", corpus="harbour", plugin="pages").document
    assert main(["show", document.id, "--entity", "--library", str(tmp_path / "lib")]) == ExitCode.OK
    shown = json.loads(capfd.readouterr().out)["entity"]
    assert set(shown) == set(SPECIFIED.split())
    assert shown["raw_text_by_page"] == ["High tide at noon", "Low tide at six"]
    assert shown["conversion_artifacts"][0]["quality_report"]["selected_tool"] == "pages"
    assert main(["show", document.id, "--entity", "--quality", "--library", str(tmp_path / "lib")]) == ExitCode.USAGE
