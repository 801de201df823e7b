"""The text of a `.crash` file: where a run failed, without words of its documents (RES-2)."""

from __future__ import annotations

import traceback


def crash_text(error: BaseException) -> str:
    """The tracebacks of an error and of those behind it, oldest first.

    Messages are left out, apart from the types: an unexpected error may quote a document, which a purge would not find here.
    """
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    parts = []
    for one in reversed(chain):
        kind = f"{type(one).__module__}.{type(one).__qualname__}"
        parts.append(f"{''.join(traceback.format_tb(one.__traceback__))}{kind}\n")
    return "\nThe error above led to:\n".join(parts)
