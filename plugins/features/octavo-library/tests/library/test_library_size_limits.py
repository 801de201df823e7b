"""A document that is too large is converted once its corpus allows its size (ENG-20)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from octavo_cli import main
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_text
from octavo_contracts import ExitCode, HardFailReason, UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings

PAGES = """\
from octavo_contracts import *
@hookimpl
def convert(source, request, context):
    pages = source.read_bytes().decode().split('\f')
    return Conversion(pages=tuple(Page(number=n, markdown=text) for n, text in enumerate(pages, 1)), paginated=True)
"""


def reason(outcome):
    receipts = outcome.result.failure_receipts
    return receipts[0].reason_code if receipts else None


@pytest.fixture
def long_text(tmp_path, make_plugin):
    """A text of 10,001 pages, one more than are allowed."""
    make_plugin("pages", PAGES)
    path = tmp_path / "long.txt"
    path.write_text("\f".join(["page"] * 10_001))
    return path


def test_a_document_that_was_too_large_is_converted_when_its_corpus_allows_it(long_text, tmp_path):
    """ENG-20: `content_too_large` names the limit; a raised one is tried without asking for a retry."""
    with Library.open(tmp_path / "library") as library:
        library.corpora.create("atlas")
        first = library.ingest(long_text, corpus="atlas", plugin="pages")
        assert reason(first) is HardFailReason.CONTENT_TOO_LARGE
        assert "octavo corpus set CORPUS --limit max_pages=NUMBER" in first.result.failure_receipts[0].remedy

        again = library.ingest(long_text, corpus="atlas", plugin="pages")
        assert (again.reused, reason(again)) == (True, HardFailReason.CONTENT_TOO_LARGE)

        library.corpora.update("atlas", replace(library.corpora.get("atlas").settings, limits={"max_pages": 20_000}))
        raised = library.ingest(long_text, corpus="atlas", plugin="pages")
        assert raised.result.ingestion_status == "complete"
        assert len(raised.document.pages) == 10_001
        assert raised.document.reconvert(plugin="pages").version == 2


def test_the_limit_of_one_corpus_is_no_limit_of_another(long_text, tmp_path):
    """The higher limit applies to a document of two corpora; a corpus without it is untouched."""
    with Library.open(tmp_path / "library") as library:
        library.corpora.create("atlas", CorpusSettings(limits={"max_pages": 20_000}))
        elsewhere = library.ingest(long_text, plugin="pages")
        assert reason(elsewhere) is HardFailReason.CONTENT_TOO_LARGE
        inside = library.ingest(long_text, corpus="atlas", plugin="pages")
        assert inside.result.ingestion_status == "complete"


def test_a_corpus_can_refuse_large_files(long_text, tmp_path):
    """`max_bytes` has no default: only a corpus that sets it refuses a document for its bytes."""
    with Library.open(tmp_path / "library") as library:
        library.corpora.create("small", CorpusSettings(limits={"max_bytes": 1000, "max_pages": 20_000}))
        refused = library.ingest(long_text, corpus="small", plugin="pages")
        assert reason(refused) is HardFailReason.CONTENT_TOO_LARGE
        assert "at most 1,000 are allowed" in refused.result.failure_receipts[0].details


def test_an_unknown_limit_is_refused(tmp_path):
    """A limit on nesting protects the parsers, and no corpus may change it."""
    with Library.open(tmp_path / "library") as library:
        with pytest.raises(UsageError, match="unknown limit 'max_json_depth'"):
            library.corpora.create("deep", CorpusSettings(limits={"max_json_depth": 10**6}))
        with pytest.raises(UsageError, match="max_pages must be a positive whole number, got 0"):
            library.corpora.create("none", CorpusSettings(limits={"max_pages": 0}))


def test_limits_are_set_on_the_command_line(tmp_path, capfd, monkeypatch):
    """ENG-20: the limit is lowered, met by a real PDF, raised, and the same file is converted."""
    monkeypatch.chdir(tmp_path)
    pages = [PdfPage(show_text(f"Tide table {number}", 72, 700)) for number in range(3)]
    (tmp_path / "tides.pdf").write_bytes(PdfFile(pages).to_bytes())

    def octavo(*arguments):
        code = main([*arguments, "--library", "lib"])
        return code, capfd.readouterr().out

    _, made = octavo("corpus", "create", "tides", "--limit", "max_pages=2", "--json")
    assert json.loads(made)["corpus"]["settings"]["limits"] == {"max_pages": 2}
    code, told = octavo("ingest", "tides.pdf", "--corpus", "tides")
    assert code == ExitCode.HARD_FAILURES
    assert "octavo corpus set CORPUS --limit max_pages=NUMBER" in told
    _, raised = octavo("corpus", "set", "tides", "--limit", "max_pages=none", "--json")
    assert json.loads(raised)["corpus"]["settings"]["limits"] == {}
    code, told = octavo("ingest", "tides.pdf", "--corpus", "tides")
    assert (code, "1 complete" in told) == (ExitCode.OK, True)
