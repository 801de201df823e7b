"""`Cancelled`: the one failure of a sandboxed call that neither the document nor the tool caused."""

from __future__ import annotations

import threading

from octavo_contracts import ExitCode, OctavoError


class Cancelled(OctavoError):
    """The caller cancelled the call, or closed the pool during it; the worker was killed.

    There is no reason code: a cancelled document is neither converted nor failed.
    """

    exit_code = ExitCode.INTERRUPTED
    default_remedy = "Ingest the document again"


def raise_if(cancel: threading.Event | None) -> None:
    """Raise `Cancelled` if the caller has set the event.

    Raises:
        Cancelled: the event is set.
    """
    if cancel is not None and cancel.is_set():
        raise Cancelled("the caller cancelled while another thread was working on the document")
