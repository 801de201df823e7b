"""The corpus through the command line: a result for every file, reused the second time, pages exact.

Runs where the corpus is: over every bad document and one in three of the others, which take eight minutes of a processor
together. With OCTAVO_TEST_CORPUS=all, over all.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from octavo_contracts import IngestionResult
from octavo_contracts.schema import load_schema
from octavo_library import Library

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

NATIVE_KINDS = {"pdf-text-native", "pdf-typeset", "pdf-table", "pdf-table-heavy", "qa-pdf", "pdf-multi-column"}
PAGE_RECALL_TARGET = 0.95
ONE_IN = 1 if os.environ.get("OCTAVO_TEST_CORPUS") == "all" else 3
PAGINATED = 100 // ONE_IN
"""More documents than these have pages."""
RECOGNITION = {"OCTAVO_OCR__ENGINES": "tesseract", "OCTAVO_OCR__DPI": "200"}
"""One recogniser, and a resolution at which it takes half the time: this is about documents, not about letters."""
STATUS = {"complete": "ok", "degraded_complete": "partial", "hard_failed": "error"}


@pytest.fixture(scope="module")
def documents(corpus: Path) -> dict[str, dict]:
    rows = json.loads((corpus / "manifest.json").read_text(encoding="utf-8"))["documents"]
    bad = [row for row in rows if row["kind"].startswith("bad-")]
    others = [row for row in rows if not row["kind"].startswith("bad-")]
    return {str(corpus / row["path"]): row for row in (*bad, *others[::ONE_IN])}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("corpus") / "library"


def ingest(documents: Iterable[str], library: Path) -> dict[str, dict]:
    """Run the command as a user would; source → line."""
    command = [sys.executable, "-m", "octavo", "ingest", *documents, "--library", str(library), "--jsonl"]
    environment = {**os.environ, **RECOGNITION}
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False, env=environment)
    assert done.returncode == 3, done.stderr[-2000:]  # some documents of the corpus cannot be converted
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len({line["source"] for line in lines}) == len(lines)
    return {line["source"]: line for line in lines}


@pytest.fixture(scope="module")
def first(documents: dict[str, dict], library: Path) -> dict[str, dict]:
    return ingest(documents, library)


def test_every_document_has_a_result_that_fits_the_published_schema(documents, first):
    assert set(documents) <= set(first)
    validator = Draft202012Validator(load_schema("ingestion_result"))
    for line in first.values():
        validator.validate(line["result"])
        IngestionResult.model_validate_json(json.dumps(line["result"]))
        assert line["document_id"] == line["result"]["document_id"]


def test_bad_documents_end_as_they_may_and_leak_nothing(documents, first, library):
    wrong = []
    with Library.open(library, create=False) as opened:
        for path, row in documents.items():
            truth = next((t for t in row["ground_truths"] if t["type"] == "outcome_json"), None)
            if truth is None:
                continue
            expected = json.loads((Path(path).parents[1] / truth["path"]).read_text(encoding="utf-8"))
            if "allowed_status" not in expected:  # a list of URLs to decide on, not a document to convert
                continue
            result = first[path]["result"]
            status = STATUS[result["ingestion_status"]]
            text = ""
            if result["ingestion_status"] != "hard_failed":
                document = opened.document(first[path]["document_id"])
                text = document.markdown + document.canonical_text
            leaked = [item for item in expected.get("must_not_include", []) if item in text]
            missing = [item for item in expected.get("must_include", []) if item not in text]
            if status not in expected["allowed_status"] or leaked or (missing and status != "error"):
                wrong.append((row["path"], status, expected["allowed_status"], leaked, missing))
    # Random bytes, pictures and sound end as `unsupported_format`, which every such file allows.
    assert wrong == []


def test_a_second_run_reuses_everything_and_converts_nothing(documents, library, first):
    second = ingest(documents, library)
    assert set(second) == set(first)
    assert [line["source"] for line in second.values() if not line["reused"]] == []
    with Library.open(library, create=False) as opened:
        # The first conversion, the heavier one if its evidence asked for it, and the merge of several readings.
        assert all(len(document.versions) <= 3 for document in opened.documents())
    for source, line in second.items():
        assert (
            line["result"]["content_hashes"]["normalized_text_hash"]
            == first[source]["result"]["content_hashes"]["normalized_text_hash"]
        )


def test_pages_are_exact_slices_of_both_texts(documents, first, library):
    paginated = 0
    with Library.open(library, create=False) as opened:
        for line in first.values():
            anchors = line["result"]["page_anchor_map"]
            if not anchors:
                continue
            document = opened.document(line["document_id"])
            paginated += 1
            assert len(document.pages) == len(anchors)
            for anchor in anchors:
                page = document.page(anchor["page"])
                assert document.canonical_text[anchor["text_start"] : anchor["text_end"]] == page.text
                assert document.markdown[anchor["markdown_start"] : anchor["markdown_end"]] == page.markdown
    assert paginated > PAGINATED


def test_native_pages_hold_the_words_that_pdfium_finds_on_them(documents, first, library):
    import pypdfium2

    recalls = []
    with Library.open(library, create=False) as opened:
        for path, row in documents.items():
            if row["kind"] not in NATIVE_KINDS or first[path]["result"]["ingestion_status"] == "hard_failed":
                continue
            document = opened.document(first[path]["document_id"])
            pdf = pypdfium2.PdfDocument(path)
            pages = [_words(page.get_textpage().get_text_range()) for page in pdf]
            pdf.close()
            assert len(pages) == len(document.pages)
            for number, words in enumerate(pages, start=1):
                if words:
                    ours = Counter(_words(document.page(number).text))
                    recalls.append(sum((ours & Counter(words)).values()) / len(words))
    mean = sum(recalls) / len(recalls)
    assert mean >= PAGE_RECALL_TARGET


def _words(text: str) -> list[str]:
    joined = re.sub(r"[\ufffe\x02]\s*", "", text)
    return re.findall(r"\w+", joined.casefold())
