"""The one outcome of a sandboxed call that no document and no tool is to blame for."""

from __future__ import annotations

import threading

from octavo_contracts import ExitCode, OctavoError


class Cancelled(OctavoError):
    """The caller gave up the call, or closed the pool under it; the worker was killed.

    It has no reason code: a cancelled document is neither converted nor failed.
    """

    exit_code = ExitCode.INTERRUPTED
    default_remedy = "Ingest the document again"


def raise_if(cancel: threading.Event | None) -> None:
    """Raise where the caller cancelled.

    Raises:
        Cancelled: it is set.
    """
    if cancel is not None and cancel.is_set():
        raise Cancelled("the caller cancelled while the document was at work elsewhere")
