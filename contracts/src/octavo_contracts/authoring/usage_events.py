"""Stops onnxruntime from sending usage events (DIG-27)."""

from __future__ import annotations

import os


def silence_usage_events() -> None:
    """Stop the usage events of onnxruntime. Call it before onnxruntime, or an engine that brings it, is imported.

    onnxruntime 1.29 and newer keep a database of usage events and send them from a thread of their own, seconds after a model
    is loaded. Only this variable stops them, and only before the import. Octavo's workers have it; other processes may not.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
