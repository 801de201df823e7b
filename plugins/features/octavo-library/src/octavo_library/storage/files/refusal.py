"""The error that refuses a write in a library that is open for reading only."""

from __future__ import annotations

from octavo_contracts import StorageError


def refusal(why: StorageError) -> StorageError:
    """A new error that refuses a write in a library that is open for reading only.

    Args:
        why: the error of the attempt to open the library for writing.
    """
    return type(why)(f"the library is open for reading only: {why.message}", remedy=why.remedy)
