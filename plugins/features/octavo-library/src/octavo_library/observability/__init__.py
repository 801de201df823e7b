"""Observability of a library: an event log, an audit log, and metrics. None of them contains document content.

| what | where | purpose |
|---|---|---|
| event log | `logs/events.jsonl` of the library | progress of documents and runs, and what delayed them |
| audit log | `logs/audit.jsonl` of the library | who exported, removed, allowed or changed what, and policy refusals |
| metrics | OpenTelemetry, once the host configures a provider | dashboards and alerts |

Documents appear as ids and hashes, never with text, title, name or path. Nothing leaves the machine by default: the
logs are files of the library, and the OpenTelemetry API alone sends nothing.
"""

from __future__ import annotations

from .audit import AuditAction, AuditLog
from .event_log import EventLog, event_row
from .json_lines import JsonLines
from .metrics import METRICS, Metric, Metrics
from .observers import Observers

__all__ = ["METRICS", "AuditAction", "AuditLog", "EventLog", "JsonLines", "Metric", "Metrics", "Observers", "event_row"]
