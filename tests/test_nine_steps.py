"""One document goes through the nine steps of ingestion, with every feature installed that has a part in them (ENG-2)."""

from __future__ import annotations

import json
from pathlib import Path

from octavo.settings.entities import EntitySettings
from octavo.settings.settings import Settings
from octavo_contracts import IngestionState
from octavo_library import Library

TAGGER = """\
from octavo_contracts import EntityObservation, hookimpl

@hookimpl
def extract_entities(text, request):
    start = text.index("JANE DOE")
    return (EntityObservation(text="JANE DOE", label="person", start=start, end=start + 8, confidence=0.9),)
"""
COMPLAINT = """\
# UNITED STATES DISTRICT COURT FOR THE DISTRICT OF MASSACHUSETTS

JANE DOE,

Plaintiff,

v.

HARBOUR LINES LTD,

Defendant.

Case No. 1:24-cv-00123-ABC

# COMPLAINT

The port closed its gates on 2023-11-05, and the ferry could not land for nine days.
"""
STEPS = {
    "store original": IngestionState.SOURCE_STORED,
    "classify": IngestionState.CLASSIFIED,
    "convert": IngestionState.CONVERTED,
    "summary": IngestionState.SUMMARIZED,
    "entities": IngestionState.EXTRACTED,
    "index write": IngestionState.INDEXED,
}
"""The steps with a state of their own. Metadata and chunks are part of the version that `convert` publishes, and the processing
log is the projection of the transitions."""


def test_each_of_the_nine_steps_is_taken_and_the_log_tells_of_it(tmp_path: Path, make_plugin) -> None:
    """ENG-2, ENG-23: the original, type, version, metadata of the profile, brief, entities, chunks, index and log are there."""
    make_plugin(
        "tagger", TAGGER, hooks=["extract_entities"], media_types=[], more='[plugin.entities]\nlabels = ["person"]'
    )
    settings = Settings(workers=1, entities=EntitySettings(engine="tagger"))
    with Library.open(tmp_path / "library", settings=settings) as library:
        done = library.ingest(COMPLAINT.encode(), name="complaint.md", profile="legal", briefs=True, entities=True)
        assert library.engine.wait_for_follow_ups(seconds=60)
        document = library.document(done.document_id)
        record = library.context.index.documents.get(document.id)
        jobs = library.context.index.jobs
        entries = [entry for job in jobs.of_hash(record.raw_hash) for entry in jobs.transitions(job.job_id)]
        taken = {entry.after for entry in entries if not entry.skipped}
        assert {name for name, state in STEPS.items() if state not in taken} == set()

        assert done.result.metadata.fields["case_number"] == "1:24-cv-00123-ABC"
        assert document.document_type == "complaint"
        assert [one.name for one in library.entities.list(document=document.id)] == ["JANE DOE"]
        assert library.search("ferry")
    home = tmp_path / "library" / "by_hash" / record.raw_hash.removeprefix("sha256:")
    assert [path.read_text() for path in (tmp_path / "library" / "originals").iterdir()] == [COMPLAINT]
    version = home / "conversions" / "v1"
    assert {path.name for path in version.iterdir()} >= {
        "converted.md",
        "canonical.txt",
        "chunks",
        "summaries",
        "extractions",
    }
    assert list((version / "chunks").iterdir())
    log = json.loads((home / "processing_log.json").read_text())
    told = [(entry["to"], entry["skipped"]) for job in log["jobs"] for entry in job["entries"]]
    assert sorted(told) == sorted((entry.after.value, entry.skipped) for entry in entries)
