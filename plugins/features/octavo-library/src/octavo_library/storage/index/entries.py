"""References of ways in without a path: bytes that were passed in, and attachments (STO-10, STO-18).

    entry:email_attachment/plan%20of%20the%20pier.pdf

The reference tells the surface and the file name. It opens nothing: the bytes are stored in the library.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

SCHEME = "entry"
_PREFIX = f"{SCHEME}:"


def entry_ref(surface: str, name: str) -> str:
    """The reference of bytes with a name that came in over a surface."""
    return f"{_PREFIX}{surface}/{quote(name.rpartition('/')[2] or name, safe='')}"


def is_entry(ref: str) -> bool:
    """Whether a reference is one of bytes without a path."""
    return ref.startswith(_PREFIX)


def entry_name(ref: str) -> str:
    """The file name in such a reference."""
    return unquote(ref.rpartition("/")[2])


def entry_surface(ref: str) -> str:
    """The surface in such a reference."""
    return ref.removeprefix(_PREFIX).partition("/")[0]
