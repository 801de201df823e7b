"""The plugin `liteparse` on a corpus of real, broken and hostile documents."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

MAX_BYTES = 300_000
"""Larger documents are left out, so that the run stays short."""

# A broken file may abort the process of an engine: the conversions have one of their own.
CHILD = """
import json, sys
from octavo_contracts import ConvertRequest, FileSource, OctavoError
from octavo_liteparse.convert import convert_pdf
for line in sys.stdin:
    path, password = json.loads(line)
    request = ConvertRequest(media_type="application/pdf", password=password)
    try:
        conversion = convert_pdf(FileSource(path, media_type="application/pdf"), request)
    except OctavoError as error:
        print(json.dumps({"reason": error.reason}), flush=True)
    else:
        pages = [(page.markdown, " ".join(hidden.text for hidden in page.hidden_text)) for page in conversion.pages]
        print(json.dumps({"pages": pages}), flush=True)
"""


def convert_all(tasks: list[tuple[Path, str | None]]) -> list[dict[str, Any]]:
    """What the plugin makes of files with their passwords: pages as (markdown, hidden text), or the error's reason."""
    lines = "".join(json.dumps([str(path), password]) + "\n" for path, password in tasks)
    command = [sys.executable, "-W", "error", "-c", CHILD]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    outcomes = [dict(json.loads(line)) for line in done.stdout.splitlines()]
    assert len(outcomes) == len(tasks), f"{tasks[len(outcomes)][0].name}: {done.stderr[-500:]}"
    return outcomes


def documents(corpus: Path) -> list[dict[str, Any]]:
    """The rows of the manifest for PDF files of at most `MAX_BYTES`."""
    rows = json.loads((corpus / "manifest.json").read_text("utf-8"))["documents"]
    return [row for row in rows if row["format"] == "pdf" and row["bytes"] <= MAX_BYTES]


def test_every_document_converts_or_fails_with_a_typed_error(corpus: Path) -> None:
    """No crash, no other exception, no warning of Python's, whatever the bytes."""
    outcomes = convert_all([(corpus / row["path"], None) for row in documents(corpus)])
    reasons = {outcome["reason"] for outcome in outcomes if "reason" in outcome}

    assert {"source_empty", "source_corrupt", "source_encrypted"} <= reasons
    assert sum("pages" in outcome for outcome in outcomes) > len(outcomes) / 2


def test_encrypted_documents_open_with_their_password(corpus: Path) -> None:
    """Capability passwords, on files of other programs."""
    locked = [row for row in documents(corpus) if row.get("password")]

    wrong = convert_all([(corpus / row["path"], "wrong") for row in locked])
    right = convert_all([(corpus / row["path"], row["password"]) for row in locked])
    assert {outcome["reason"] for outcome in wrong} == {"source_encrypted"}
    assert all("pages" in outcome for outcome in right)


def test_hidden_instructions_do_not_reach_the_text(corpus: Path) -> None:
    """The canary of the corpus' PDF with invisible text stands in the hidden text alone."""
    (outcome,) = convert_all([(corpus / "bad" / "inject-pdf-invisible.pdf", None)])
    ((text, hidden),) = outcome["pages"]

    assert "CANARY" not in text
    assert "CANARY" in hidden
