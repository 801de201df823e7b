"""Sampling by the real engines on real files, and through kills at every instant that matters (CNV-4, ENG-6)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from octavo.settings.settings import Settings
from octavo_library import Library
from octavo_library.ingestion.sampling.measures import METRICS
from octavo_library.storage import verify

SAMPLES = Path(__file__).resolve().parents[1] / "docs" / "samples"
REPORT = SAMPLES / "annual-report.pdf"

PROFILE = """\
name = "quick"
[routes]
text_native_pdf = ["pdfium"]
[sampling]
documents = 2
[sampling.pairs]
text_native_pdf = ["pdfium", "pdfminer"]
"""

KILLED_AT = """\
import os, signal, sys
from octavo_library import Library
from octavo.settings import Settings

def listen(event):
    name = type(event).__name__ + (":" + str(event.step) if hasattr(event, "step") else "")
    print(name, flush=True)
    if name == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    with Library.open(sys.argv[1], settings=Settings(profile=sys.argv[2], workers=1)) as library:
        library.engine.events.subscribe(listen)
        library.ingest(sys.argv[4])
"""


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "quick.toml"
    path.write_text(PROFILE)
    return str(path)


def test_the_default_profile_compares_real_engines_on_real_files(tmp_path):
    """Every file of the samples, as a user has them: five at most are converted twice, each by another engine."""
    with Library.open(tmp_path / "library") as library:
        done = list(library.ingest_many(sorted(path for path in SAMPLES.iterdir() if path.is_file())))
        list(library.routing.sample())
        stored = library.context.index.comparisons.all()
        assert [one.slot for one in stored] == list(range(1, len(stored) + 1))
        assert 3 <= len(stored) <= 5
        assert all(one.tool_a != one.tool_b and one.failure is None for one in stored)
        assert all(tuple(one.metrics) == METRICS and 0.5 < one.agreement <= 1.0 for one in stored)
        pdf = next(one for one in stored if one.routing_type == "text_native_pdf")
        assert not pdf.metrics["tables"]["diverges"], "both engines see the tables of this report"
        assert pdf.metrics["text_yield"]["difference"] < 0.05
        assert "text_native_pdf" not in [rule.routing_type for rule in library.routing.pending()]
        assert {one.result.ingestion_status for one in done} <= {"complete", "degraded_complete"}


@pytest.mark.parametrize(
    ("instant", "stored"),
    [
        ("StepFinished:convert", 0),  # before anything is written
        ("StepFinished:index_write", 1),  # the version's files are there, and nothing of it in the index
        ("JobEnded", 1),  # committed
    ],
)
def test_a_host_that_is_killed_counts_the_document_once(rules, tmp_path, instant, stored):
    """What was stored before the kill is selected when the library is opened; else when the bytes come again."""
    script = tmp_path / "host.py"
    script.write_text(KILLED_AT)
    library = tmp_path / "library"
    command = [sys.executable, str(script), str(library), rules, instant, str(REPORT)]
    killed = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (killed.returncode, killed.stdout.split()[-1]) == (-9, instant), killed.stderr
    with Library.open(library, settings=Settings(profile=rules, workers=1)) as opened:
        assert opened.routing.rules().waiting == stored
        done = opened.ingest(REPORT)
        assert done.reused == bool(stored)
        assert len(list(opened.routing.sample())) == 1
        (comparison,) = opened.context.index.comparisons.all()
        assert (comparison.slot, comparison.document_id, comparison.version) == (1, done.document_id, 1)
        assert len(done.document.versions) == 1
        assert opened.routing.rules().counted == 1
        assert verify(opened.context.artifacts, opened.context.index, read_contents=True).is_clean
        assert opened.context.index.jobs.open_jobs() == ()


def octavo(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "octavo", *words], capture_output=True, text=True, timeout=120, check=False
    )


def test_a_run_neither_compares_nor_tells_of_it_and_routing_does(rules, tmp_path):
    where = ("--library", str(tmp_path / "library"))
    done = octavo("ingest", str(REPORT), *where, "--profile", rules, "--verbose")
    assert "sampling" not in (done.stdout + done.stderr).lower()
    shown = octavo("routing", "show", *where, "--profile", rules)
    assert "1 document still to be compared. Run: octavo routing sample" in shown.stdout
    made = octavo("routing", "sample", *where, "--profile", rules)
    assert made.stdout.startswith("text_native_pdf: 1 document compared")
    state = json.loads(octavo("routing", "sample", *where, "--profile", rules, "--json").stdout)["sampling"]
    assert (state["counted"], state["waiting"]) == (1, 0)
    assert state["seconds"] > 0


def test_a_stored_version_is_read_and_the_other_plugin_asked_now(rules, tmp_path):
    with Library.open(tmp_path / "library", settings=Settings(profile=rules, workers=1)) as library:
        document = library.ingest(REPORT).document
        found = library.routing.compare(document.id[:8], plugins=("pdfium", "pypdf"))
        assert found.stored == {"pdfium": 1}
        assert (found.a.tool, found.b.tool, found.a.pages) == ("pdfium", "pypdf", tuple(p.text for p in document.pages))
        assert found.measured.metrics["headings"].difference > 0, "pypdf finds fewer"
        document.reconvert(plugin="pypdf", activate=False)
        again = library.routing.compare(REPORT, plugins=("pypdf", "pdfium"))
        assert again.stored == {"pdfium": 1, "pypdf": 2}
        assert (again.a.pages, again.b.pages) == (found.b.pages, found.a.pages), "stored and fresh readings are alike"
        assert len(library.document(document.id).versions) == 2, "a comparison stores nothing"
        assert again.measured.agreement == found.measured.agreement
