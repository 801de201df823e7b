"""Entry point of the worker for inspection. The host imports this module only for the function's name."""

from __future__ import annotations

from octavo_contracts import HookContext, SourceView


def inspect(payload: bytes, source: SourceView, context: HookContext) -> bytes:
    """Detect, check and classify a document; see `inspector.inspect`.

    Args:
        payload: an `InspectRequest` as JSON.
        source: the document.
        context: the call's work folder and deadline.

    Returns:
        An `Inspection` as JSON.
    """
    from . import inspector

    return inspector.inspect(payload, source, context)
