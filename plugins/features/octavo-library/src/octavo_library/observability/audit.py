"""The audit log: users' actions with accountability, as ids, one JSON line each."""

from __future__ import annotations

import getpass
import logging
from enum import StrEnum
from typing import Any

from octavo_contracts import HardFailReason, Intent

from ..ingestion.events import CloudDecided, EngineEvent, JobEnded, JobRecovered, RunStarted
from ..storage import document_id_for
from ..text.times import time_text, utc_now
from .json_lines import JsonLines

_log = logging.getLogger("octavo.observability")


class AuditAction(StrEnum):
    """The audited actions."""

    RUN_STARTED = "run_started"
    """Documents were ingested: `run_id`, `surface`, `corpus_id`."""
    SUBMITTED = "submitted"
    """Documents were queued for workers: `document_ids`, at most 100 a line."""
    WITHDRAWN = "withdrawn"
    """A document was taken out of the queue: `document_id`."""
    INGESTED = "ingested"
    """A document was ingested outside a run, by a worker for example: `document_id`, `job_id`, `state`, `reason` of a failure."""
    RECOVERED = "recovered"
    """A version that a process had stored before it died was adopted: `document_id`, `job_id`."""
    CORPUS_CREATED = "corpus_created"
    """`corpus_id`, and its `visibility`, `sensitivity`, `cloud`, `entities`, `retention`."""
    CORPUS_CHANGED = "corpus_changed"
    """The same fields with their new values."""
    EXPORTED = "exported"
    """A document left the library as a file: `document_id`, `version`, `sha256` of the file."""
    REMOVED = "removed"
    """A document was removed from a corpus: `document_id`, `corpus_id`."""
    PURGED = "purged"
    """A document or old versions were purged: `document_id` or `versions`, and `bytes`."""
    ACTIVATED = "activated"
    """A version was activated: `document_id`, `version`."""
    ACCEPTED = "accepted"
    """A user accepted a version with its flags: `document_id`, `version`."""
    ACCEPTANCE_CLEARED = "acceptance_cleared"
    """That mark was removed: `document_id`, `version`."""
    TYPE_SET = "type_set"
    """A document's type was set by hand: `document_id`, `document_type`, null if it was removed."""
    METADATA_SET = "metadata_set"
    """A user declared metadata of a document, or ended a dispute about it: `document_id`."""
    PAGE_MARKED = "page_marked"
    """A user marked pages of a document, or removed marks: `document_id`."""
    PLUGIN_SET = "plugin_set"
    """The plugin that converts a document was set by hand: `document_id`, `plugin`, null if it was removed."""
    RELINKED = "relinked"
    """A path of a document was given by hand: `document_id`."""
    REPAIRED = "repaired"
    """Findings of a check were repaired: the numbers `removed`, `remade`, `marked`."""
    ROUTING_DECIDED = "routing_decided"
    """A user decided about a rule of a profile: `routing_type`, `decision` (prefer, keep, undo), `tool`."""
    POLICY_REFUSED = "policy_refused"
    """A policy refused a request for a document: `document_id`, `run_id`; at the cloud gate also `surface`, `service`,
    `reason`."""
    CLOUD_USED = "cloud_used"
    """A document was sent to a permitted cloud service: `document_id`, `run_id`, `surface`, `service`."""


class AuditLog:
    """Logs actions. A line that cannot be written causes a warning, and does not undo the action.

    Args:
        lines: the file; None: nothing is written.
    """

    def __init__(self, lines: JsonLines | None) -> None:
        self._lines = lines

    def record(self, action: AuditAction, **ids: Any) -> None:
        """Log an action.

        Args:
            action: the action.
            ids: ids and numbers, as the action documents; never a text, a title, a name or a path.
        """
        if self._lines is None:
            return
        row = {"at": time_text(utc_now()), "action": action.value, "user": _user(), **ids}
        try:
            self._lines.append(row)
        except OSError as error:
            _log.warning("the audit log cannot be written: %s", error.strerror)

    def __call__(self, event: EngineEvent, /) -> None:
        """Handle an engine event; most are not audited."""
        if isinstance(event, RunStarted):
            self.record(AuditAction.RUN_STARTED, run_id=event.run_id, surface=event.surface, corpus_id=event.corpus_id)
        elif isinstance(event, JobEnded) and event.reason is HardFailReason.POLICY_REFUSED:
            self.record(AuditAction.POLICY_REFUSED, document_id=event.document_id, run_id=event.run_id)
        elif isinstance(event, JobEnded):
            if event.run_id is None and event.intent is Intent.INGEST:
                ids = {"document_id": event.document_id, "job_id": event.job_id, "state": event.state}
                self.record(AuditAction.INGESTED, **ids, reason=event.reason)
        elif isinstance(event, JobRecovered):
            if event.finished and event.raw_hash is not None:
                self.record(AuditAction.RECOVERED, document_id=document_id_for(event.raw_hash), job_id=event.job_id)
        elif isinstance(event, CloudDecided):
            ids = {"document_id": event.document_id, "run_id": event.run_id}
            ids |= {"surface": event.surface, "service": event.service}
            if event.allowed:
                self.record(AuditAction.CLOUD_USED, **ids)
            else:
                self.record(AuditAction.POLICY_REFUSED, **ids, reason=event.reason)


def _user() -> str | None:
    """The user of this process, or None if the system does not know, as in a container without user names."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return None
