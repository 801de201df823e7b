"""The corpus of real documents: each ends well, in a process of its own kind, within its time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CORPUS = Path(os.environ.get("OCTAVO_CORPUS", Path(__file__).parents[5] / "shared/corpus/dev"))
OFFICE = "application/vnd.openxmlformats-officedocument"
TYPES = {
    ".docx": f"{OFFICE}.wordprocessingml.document",
    ".pptx": f"{OFFICE}.presentationml.presentation",
    ".xlsx": f"{OFFICE}.spreadsheetml.sheet",
    ".xls": "application/vnd.ms-excel",
    ".msg": "application/vnd.ms-outlook",
    ".epub": "application/epub+zip",
    ".ipynb": "application/x-ipynb+json",
}
SCRIPT = """
import json, sys
from octavo_contracts import ConvertRequest, FileSource, HookContext, OctavoError
from pathlib import Path
from octavo_markitdown.plugin import convert
CONTEXT = HookContext(work_dir=Path("."), deadline=float("inf"))
for path in sys.argv[2:]:
    try:
        conversion = convert(FileSource(path, media_type=sys.argv[1]), ConvertRequest(media_type=sys.argv[1]), CONTEXT)
        print(json.dumps({"text": "".join(page.markdown for page in conversion.pages)}))
    except OctavoError as error:
        print(json.dumps({"error": type(error).__name__}))
"""

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.slow,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real documents is not here"),
]
DOCUMENTS = sorted(path for path in CORPUS.rglob("*") if path.suffix in TYPES)
HOSTILE = [path for path in DOCUMENTS if path.parent.name == "bad"]


def convert_in_child(*paths: Path, seconds: float) -> list[dict[str, str]]:
    """The results of documents of one type, one after the other in one process."""
    command = [sys.executable, "-c", SCRIPT, TYPES[paths[0].suffix], *map(str, paths)]
    done = subprocess.run(command, capture_output=True, timeout=seconds, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("suffix", TYPES)
def test_real_documents_have_text(suffix: str) -> None:
    """Every document that is neither hostile nor broken is converted."""
    paths = [path for path in DOCUMENTS if path.suffix == suffix and path not in HOSTILE]
    results = convert_in_child(*paths, seconds=120)
    silent = [path.name for path, result in zip(paths, results, strict=True) if not result.get("text", "").strip()]
    assert silent == []


@pytest.mark.parametrize("path", HOSTILE, ids=lambda path: path.name)
def test_hostile_documents_end_as_they_should(path: Path) -> None:
    """No crash, no hang, what must not be passed on is not."""
    (result,) = convert_in_child(path, seconds=60)
    truth = path.with_suffix(".gt.outcome.json")
    if not truth.exists():
        assert "error" in result or result["text"]
        return
    expected = json.loads(truth.read_text(encoding="utf-8"))
    status = {"error"} if "error" in result else {"ok", "partial"}
    assert status & set(expected["allowed_status"])
    text = result.get("text", "")
    assert all(wanted in text for wanted in expected["must_include"]) or "error" in result
    assert not [leak for leak in expected["must_not_include"] if leak in text]
