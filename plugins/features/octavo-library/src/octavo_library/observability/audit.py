"""The audit log: what somebody did that others may have to answer for, as ids, one JSON line each."""

from __future__ import annotations

import getpass
import logging
from enum import StrEnum
from typing import Any

from octavo_contracts import HardFailReason

from ..ingestion.events import CloudDecided, EngineEvent, JobEnded, RunStarted
from ..storage.index.database import time_text, utc_now
from .json_lines import JsonLines

_log = logging.getLogger("octavo.observability")


class AuditAction(StrEnum):
    """What is written down."""

    RUN_STARTED = "run_started"
    """Documents were taken in: `run_id`, `surface`, `corpus_id`."""
    CORPUS_CREATED = "corpus_created"
    """`corpus_id`, and its `visibility`, `sensitivity`, `cloud`, `entities`, `retention`."""
    CORPUS_CHANGED = "corpus_changed"
    """The same, as they are now."""
    EXPORTED = "exported"
    """A document left the library as a file: `document_id`, `version`, `sha256` of the file."""
    REMOVED = "removed"
    """A document was taken out of a corpus: `document_id`, `corpus_id`."""
    PURGED = "purged"
    """A document, or old versions, were removed for good: `document_id` or `versions`, and `bytes`."""
    ACTIVATED = "activated"
    """Another version is what readers get: `document_id`, `version`."""
    TYPE_SET = "type_set"
    """A document's type was set by hand: `document_id`, `document_type`, null where it was taken back."""
    PLUGIN_SET = "plugin_set"
    """The plugin that converts a document was set by hand: `document_id`, `plugin`, null where it was taken back."""
    RELINKED = "relinked"
    """A path was given for a document by hand: `document_id`."""
    REPAIRED = "repaired"
    """Findings of a check were put right: `removed`, `remade`, `marked`: how many."""
    ROUTING_DECIDED = "routing_decided"
    """A rule of a profile was decided on: `routing_type`, `decision` (prefer, keep, undo), `tool`."""
    POLICY_REFUSED = "policy_refused"
    """A policy forbade what a document asked for: `document_id`, `run_id`; at the gate to cloud services also `surface`, `service`,
    `reason`."""
    CLOUD_USED = "cloud_used"
    """A document was shown to a service elsewhere, as its owners allow: `document_id`, `run_id`, `surface`, `service`."""


class AuditLog:
    """Writes down actions. A line that cannot be written is warned of, and does not undo what was done.

    Args:
        lines: where to; None writes nothing.
    """

    def __init__(self, lines: JsonLines | None) -> None:
        self._lines = lines

    def record(self, action: AuditAction, **ids: Any) -> None:
        """Write down an action.

        Args:
            action: which.
            ids: ids and numbers, as the action says; never a text, a title, a name or a path.
        """
        if self._lines is None:
            return
        row = {"at": time_text(utc_now()), "action": action.value, "user": _user(), **ids}
        try:
            self._lines.append(row)
        except OSError as error:
            _log.warning("the audit log cannot be written: %s", error.strerror)

    def __call__(self, event: EngineEvent, /) -> None:
        """Take an engine event; most are none of the audit's business."""
        if isinstance(event, RunStarted):
            self.record(AuditAction.RUN_STARTED, run_id=event.run_id, surface=event.surface, corpus_id=event.corpus_id)
        elif isinstance(event, JobEnded) and event.reason is HardFailReason.POLICY_REFUSED:
            self.record(AuditAction.POLICY_REFUSED, document_id=event.document_id, run_id=event.run_id)
        elif isinstance(event, CloudDecided):
            ids = {"document_id": event.document_id, "run_id": event.run_id}
            ids |= {"surface": event.surface, "service": event.service}
            if event.allowed:
                self.record(AuditAction.CLOUD_USED, **ids)
            else:
                self.record(AuditAction.POLICY_REFUSED, **ids, reason=event.reason)


def _user() -> str | None:
    """Who the system says runs this process, or None where it does not know: in a container without user names."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return None
