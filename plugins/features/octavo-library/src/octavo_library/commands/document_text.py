"""Formats documents of a library as JSON values and as text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from octavo.documents.location import place_of
from octavo_cli.toolkit.next_command import next_command
from octavo_cli.toolkit.output import add_row, clean, make_table, write_table

if TYPE_CHECKING:
    from ..facade.document import Document
    from ..facade.document_versions import DocumentVersion
    from ..facade.runs import DocumentJob
    from ..ingestion.activation import HeldBack
    from ..storage import AcceptedVersion, DeclaredMetadata

SHORTEST_PREFIX = 8
"""Characters of a displayed id; more if two documents would have the same prefix."""

STATUS_TEXTS = {"complete": "complete", "degraded_complete": "degraded", "hard_failed": "failed"}

EARLIER_CONTENT = "earlier content of its path"
"""Mark of a document whose file has other content now, which is another document."""


def document_keys(document: Document) -> dict[str, Any]:
    """A document's facts as JSON values."""
    return {
        "id": document.id,
        "title": document.title,
        "status": document.status,
        "reason": document.reason,
        "media_type": document.media_type,
        "raw_hash": document.raw_hash,
        "active_version": document.active_version,
        "plugin": document.plugin,
        "ingested_at": document.ingested_at,
        "paths": list(document.paths),
        "attached_to": [parent.id for parent in document.attached_to],
        "accepted": (mark := document.versions.acceptance.current) and asdict(mark),
        **metadata_keys(document),
    }


def metadata_keys(document: Document) -> dict[str, Any]:
    """What was declared of a document, and its paused ingestions, as JSON values."""
    current, disputes = document.metadata.current, document.metadata.disputes
    return {
        "declared": current and {**asdict(current.metadata), "declared_by": current.declared_by, "at": current.at},
        "disputes": [
            {**asdict(one.metadata), **{key: value for key, value in asdict(one).items() if key != "metadata"}}
            for one in disputes
        ],
    }


def metadata_lines(metadata: DeclaredMetadata) -> list[tuple[str, str]]:
    """Declared metadata as names with values."""
    named = (("title", metadata.title), ("date", metadata.date), ("source", metadata.source))
    return [*((name, value) for name, value in named if value is not None), *metadata.further.items()]


def version_keys(version: DocumentVersion) -> dict[str, Any]:
    """A version's facts as JSON values."""
    return {**asdict(version), "held_back": held_back_keys(version.held_back)}


def held_back_keys(held_back: HeldBack | None) -> dict[str, Any] | None:
    """Why a version was not made the active one, as JSON values."""
    return None if held_back is None else {"message": held_back.message, **asdict(held_back)}


def activation_advice(document: str, version: int, held_back: HeldBack, *, library: str) -> str:
    """Why a stored version is not the active one, and the command that activates it.

    Args:
        document: the document as the user named it.
        version: the version's number.
        held_back: what it lost.
        library: the library's folder.
    """
    command = next_command(["octavo", "activate", document, str(version)], library=library)
    return f"version {version} is stored, but {held_back.message} [held_back]. To activate it: {command}"


def acceptance_text(mark: AcceptedVersion) -> str:
    """The mark of an accepted version: which one, who, when and why."""
    why = f": {mark.note}" if mark.note else ""
    return f"in version {mark.version} by {mark.accepted_by}, {moment(mark.at)} UTC{why}"


_INTENTS = {"ingest": "conversion", "reconvert": "reconversion", "extract": "entity extraction"}
_FOLLOW_UPS = {"summaries": "brief"}
_STANDINGS = {
    "in_progress": "in progress",
    "waiting": "waiting; resumed automatically when the cause is gone",
    "interrupted": "interrupted",
    "failed": "failed",
}


def job_keys(job: DocumentJob) -> dict[str, Any]:
    """A job's facts as JSON values."""
    return asdict(job)


def job_text(job: DocumentJob) -> str:
    """A job in one line: purpose, status and reason, state, attempts and time."""
    why = f" [{job.reason}]" if job.reason else ""
    said = f": {job.details}" if job.details else ""
    attempts = f"{job.attempts} attempt{'' if job.attempts == 1 else 's'}"
    purpose = _FOLLOW_UPS.get(job.follow_up or "", _INTENTS[job.intent])
    return (
        f"{purpose}: {_STANDINGS.get(job.standing, job.standing)}{why}{said} "
        f"({job.state}, {attempts}, {moment(job.changed_at)} UTC)"
    )


def path_text(ref: str) -> str:
    """A reference for display: the path of a `file:` reference, the name and surface of bytes, any other unchanged."""
    from ..storage.index.entries import entry_name, entry_surface, is_entry

    if is_entry(ref):
        return clean(f"{entry_name(ref)} ({entry_surface(ref).replace('_', ' ')})")
    try:
        return clean(str(place_of(ref)))
    except ValueError:
        return clean(ref)


def near_path(path: str) -> str:
    """A path as it is typed from the working folder, where it lies below that; any other as it is."""
    here = os.path.join(os.getcwd(), "")
    return path[len(here) :] if path.startswith(here) and path != here else path


def kind_text(document_type: str | None, *, by: str | None = None) -> str:
    """A document's type for display; an unknown type is unclassified (CLS-6).

    Args:
        document_type: the effective type.
        by: who set it by hand, or None.
    """
    shown = "unclassified" if document_type in (None, "unknown") else document_type
    return f"{shown} (set by hand)" if by is not None else str(shown)


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """The shortest unique prefixes, all of the same length, that commands accept."""
    length = SHORTEST_PREFIX
    while len({item[:length] for item in ids}) < len(set(ids)):
        length += 1
    return {item: item[:length] for item in ids}


def score_text(score: float | None) -> str:
    """A score with two digits, or a dash if it was not assessed."""
    return "–" if score is None else f"{score:.2f}"


def status_word(status: str) -> str:
    """The word for the status of a version or a report that the commands print: `complete` where it is `ok`."""
    return "complete" if status == "ok" else status


def write_versions(versions: Sequence[DocumentVersion]) -> None:
    """Print a table of versions."""
    table = make_table("#Version", "Active", "Plugin", "Made", "#Quality", "Status", "Flags")
    for version in versions:
        plugin = f"{version.tool} {version.tool_version or ''}".rstrip()
        cells = (
            str(version.version),
            "active" if version.is_active else "held back" if version.held_back else "",
            plugin,
            moment(version.created_at),
            score_text(version.quality_score),
            status_word(version.status) if version.condition == "stored" else version.condition,
            ", ".join(version.flags),
        )
        add_row(table, cells)
    write_table(table)


def moment(timestamp: str) -> str:
    """A timestamp to the second, UTC."""
    return timestamp[:19].replace("T", " ")
