"""Against real files with known content."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from octavo_contracts import DocumentError

HERE = Path(__file__).resolve()
CORPUS = Path(os.environ.get("OCTAVO_CORPUS") or HERE.parents[5] / "shared" / "corpus" / "dev")
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not (CORPUS / "manifest.json").is_file(), reason="the corpus is not there; set OCTAVO_CORPUS"),
]
TYPES = {
    ".txt": "text/plain",
    ".md": "text/markdown",
    ".csv": "text/csv",
    ".vtt": "text/vtt",
    ".eml": "message/rfc822",
    ".mbox": "application/mbox",
    ".json": "application/json",
    ".ipynb": "application/x-ipynb+json",
}


def documents(*kinds: str) -> list[dict[str, Any]]:
    rows = json.loads((CORPUS / "manifest.json").read_text("utf-8"))["documents"]
    return [row for row in rows if (row["kind"] in kinds or not kinds) and Path(row["path"]).suffix in TYPES]


def read(convert, row):
    path = CORPUS / row["path"]
    return convert(path.read_bytes(), TYPES[path.suffix], name=path.name)


def test_mail_headers_and_attachments_are_those_of_the_message(convert):
    for row in documents("email-eml"):
        gold = json.loads((CORPUS / row["ground_truth"]).read_text("utf-8"))
        if gold["subject"] is None:
            continue  # saved as UTF-16: the reference reader found no header, this one does
        conversion = read(convert, row)
        fields = conversion.metadata.fields
        for name in ("subject", "from", "to", "cc"):
            assert fields.get(name) == gold[name], row["path"]
        found = [attachment.name for attachment in conversion.attachments if attachment.name]
        assert found == [attachment["filename"] for attachment in gold["attachments"]], row["path"]


def test_a_mailbox_has_the_messages_it_has(convert):
    for row in documents("email-mbox"):
        gold = json.loads((CORPUS / row["ground_truth"]).read_text("utf-8"))["messages"]
        assert [page.label for page in read(convert, row).pages] == [message["subject"] for message in gold]


def test_delimited_files_have_the_rows_they_have(convert):
    for row in documents("csv"):
        gold = [line for line in (CORPUS / row["ground_truth"]).read_text("utf-8").splitlines() if line.startswith("|")]
        page = read(convert, row).pages[0]
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in (gold[0], *gold[2:])]
        assert [list(line) for line in page.tables[0].rows] == cells, row["path"]


def test_every_text_file_is_converted_or_refused_for_its_bytes(convert):
    refused = []
    rows = documents()
    for row in rows:
        try:
            assert read(convert, row).pages
        except DocumentError:
            refused.append(row["kind"])
    assert len(rows) > 30
    assert set(refused) <= {"bad-encrypted"}
