"""Entry points of the worker for plugin calls. The host imports this module only for the functions' names."""

from __future__ import annotations

from octavo_contracts import HookContext, SourceView


def call_hook(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Load a plugin and call one of its hooks; see `worker.call_hook`."""
    from . import worker

    return worker.call_hook(payload, source, context)


def check_plugin(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Load a plugin and compare it with its manifest; see `worker.check_plugin`."""
    from . import worker

    return worker.check_plugin(payload, source, context)
