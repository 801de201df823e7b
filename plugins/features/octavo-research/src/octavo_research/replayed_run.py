"""Replays a recorded run: the workflow again, from the recording alone, without library, model and network (RES-19)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from octavo_contracts import OctavoError
from octavo_library.storage import ResearchRecord

from .export_folder import report_json
from .journal import MemoryJournal
from .options import ResearchOptions
from .recorded_model import replayed_models
from .recording import MissingAnswer, Recording, ReplayedSources
from .report import ResearchReport
from .report_builder import ReportBuilder
from .spending import Usage
from .usage import usage_of
from .workflow import Workflow


class NotRecorded(OctavoError):
    """The workflow asks what the recording does not have: it is of another version of Octavo, or incomplete."""

    default_remedy = "Record the run again, or replay it with the Octavo that recorded it"


@dataclass(frozen=True, kw_only=True)
class Replay:
    """A replayed run.

    Attributes:
        report: the report.
        is_identical: whether `report.md` and `report.json` have exactly the bytes of the recorded run; None: that run did not complete.
        usage: what the calls of the model had cost, as the recording has them.
        texts: hash (`sha256:…`) → canonical text of the sources that the report cites.
    """

    report: ResearchReport
    is_identical: bool | None
    usage: Usage
    texts: dict[str, str]


def replay(path: Path) -> Replay:
    """Replay a recording.

    Raises:
        UsageError: the file is no recording, or of a newer format.
        NotRecorded: the workflow asks what was not recorded: this Octavo works in another way than the one that recorded the run.
        StorageError: the file cannot be read.
    """
    recording = Recording.load(path)
    header = recording.header
    journal = MemoryJournal()
    sources = ReplayedSources(recording)
    models = replayed_models(recording)
    options = ResearchOptions.from_json(json.dumps(header["options"]))
    try:
        Workflow(sources, header["question"], options, journal, models=models).execute()
    except MissingAnswer as error:
        raise NotRecorded(f"{path}: {error}") from error
    record = ResearchRecord(
        research_id=header["research_id"],
        corpus_id=None,
        question=header["question"],
        options_json="{}",
        status="completed",
        phase="synthesis",
        reason=None,
        owner=None,
        created_at="",
        updated_at="",
    )
    builder = ReportBuilder(sources, record, journal.results)
    report = builder.build()
    usage = usage_of(journal.results)
    same = (
        {"kind": "end", **end_of(report, usage)}
        == {**recording.end, "usage": Usage(**recording.end["usage"]).to_json()}  # an older one counted no searches
        if recording.end
        else None
    )
    cited = {one.source_text_hash for one in report.citations()}
    return Replay(
        report=report,
        is_identical=same,
        usage=usage,
        texts={text_hash: text for text_hash, text in builder.texts.items() if text_hash in cited},
    )


def end_of(report: ResearchReport, usage: Usage) -> dict[str, Any]:
    """The last line of a recording: hashes of the report's two files, and what the run has cost."""
    return {
        "report_md": hashlib.sha256(report.to_markdown().encode()).hexdigest(),
        "report_json": hashlib.sha256(report_json(report)).hexdigest(),
        "usage": usage.to_json(),
    }
