"""What a library tells of its work: an event log, an audit log, and metrics. None of them holds what documents say.

| what | where | for |
|---|---|---|
| event log | `logs/events.jsonl` of the library | how documents and runs got on, and what held them back |
| audit log | `logs/audit.jsonl` of the library | who exported, removed, allowed or changed what, and what a policy refused |
| metrics | OpenTelemetry, once the host configures a provider | dashboards and alarms |

Documents stand in them as ids and hashes, never with text, title, name or path. Nothing leaves the machine by itself: the
logs are files of the library, and OpenTelemetry's interface alone sends nothing anywhere.
"""

from __future__ import annotations

from .audit import AuditAction, AuditLog
from .event_log import EventLog, event_row
from .json_lines import JsonLines
from .metrics import METRICS, Metric, Metrics
from .observers import Observers

__all__ = ["METRICS", "AuditAction", "AuditLog", "EventLog", "JsonLines", "Metric", "Metrics", "Observers", "event_row"]
