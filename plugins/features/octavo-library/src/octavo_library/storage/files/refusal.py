"""What a write is refused with in a library that is open for reading alone."""

from __future__ import annotations

from octavo_contracts import StorageError


def refusal(why: StorageError) -> StorageError:
    """What a write is refused with in a library that is open for reading alone; a new error each time.

    Args:
        why: what the attempt to open it for writing ended with.
    """
    return type(why)(f"the library is open for reading only: {why.message}", remedy=why.remedy)
