"""Reads the table `[types]` of a profile: document types that it adds to the shipped ones (CLS-2, CLS-9)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

from octavo_contracts import UsageError

from ..builtins.classification.registered_types import RegisteredType, folded

MAX_TYPES = 32
MAX_PHRASES = 16
MAX_PHRASE = 100
"""Limits on what is searched for in every document, so that classification meets its time limit (CLS-7).

On the longest text that is searched, preparing it takes 1.5 ms and a phrase some hundredths of a millisecond. With all
limits reached this is 15 ms, and 40 ms with the worst phrases that we could construct.
"""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")
_KEYS = ("title", "words", "media_types", "refines", "table_heavy")


def is_type_name(name: str) -> bool:
    """Return whether a type name is valid: lower-case letters, digits and underscores, a letter first, 64 at most."""
    return _NAME.fullmatch(name) is not None


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint for error messages about an unknown name: the closest known name, or nothing."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def parse_types(table: object, *, origin: str) -> tuple[RegisteredType, ...]:
    """Read the table.

    Args:
        table: the parsed TOML value.
        origin: the profile, for messages.

    Raises:
        UsageError: an invalid name, an unknown key, a value of the wrong type, or more entries than the limits allow.
    """
    if not isinstance(table, dict):
        raise UsageError(
            f"profile {origin}: types must be a table, got {table!r}",
            remedy="Write a table for each type, for example [types.lease]",
        )
    if len(table) > MAX_TYPES:
        raise UsageError(
            f"profile {origin} registers {len(table)} document types; at most {MAX_TYPES} are allowed",
            remedy="Register the types that routing or entities depend on, and set others by hand",
        )
    return tuple(_type(name, value, origin=origin) for name, value in table.items())


def _type(name: str, table: object, *, origin: str) -> RegisteredType:
    from ..builtins.classification.document_types import TABLE_HEAVY_TYPES, UNKNOWN

    where = f"profile {origin}: types.{name}"
    if name == UNKNOWN or not is_type_name(name):
        raise UsageError(
            f"{where} is not a valid type name",
            remedy=f"Use at most 64 lower-case letters, digits and underscores, a letter first; not {UNKNOWN!r}",
        )
    if not isinstance(table, dict):
        raise UsageError(
            f"{where} must be a table, got {table!r}", remedy=f"Write a table [types.{name}] with {', '.join(_KEYS)}"
        )
    for key in table:
        if key not in _KEYS:
            raise UsageError(
                f"{where} has the unknown key {key!r}{nearest(key, _KEYS)}", remedy=f"Use {', '.join(_KEYS)}"
            )
    refines = _refined(table, name, where=where)
    # A kind of filing is table-heavy like filings, unless the profile says otherwise.
    heavy: Any = table.get("table_heavy", (refines or name) in TABLE_HEAVY_TYPES)
    if not isinstance(heavy, bool):
        raise UsageError(f"{where}.table_heavy must be true or false, got {heavy!r}", remedy="Write true or false")
    return RegisteredType(
        name=name,
        title=_phrases(table, "title", where=where),
        words=_phrases(table, "words", where=where),
        media_types=_media_types(table, where=where),
        refines=refines,
        table_heavy=heavy,
    )


def _refined(table: dict[str, Any], name: str, *, where: str) -> str | None:
    from ..builtins.classification.document_types import SHIPPED_TYPES

    refines = table.get("refines")
    if refines is None or (refines in SHIPPED_TYPES and refines != name):
        return None if refines is None else str(refines)
    hint = nearest(refines, SHIPPED_TYPES) if isinstance(refines, str) and refines != name else ""
    others = ", ".join(one for one in SHIPPED_TYPES if one != name)
    raise UsageError(f"{where}.refines is {refines!r}{hint}", remedy=f"Name the shipped type that it refines: {others}")


def _phrases(table: dict[str, Any], key: str, *, where: str) -> tuple[str, ...]:
    phrases = _texts(table, key, where=where)
    if len(phrases) > MAX_PHRASES:
        raise UsageError(
            f"{where}.{key} has {len(phrases)} phrases; at most {MAX_PHRASES} are allowed",
            remedy="Keep the most specific ones",
        )
    for phrase in phrases:
        if not folded(phrase) or len(phrase) > MAX_PHRASE:
            raise UsageError(
                f"{where}.{key} has {phrase[:MAX_PHRASE]!r}, which is not a valid phrase",
                remedy=f"Write words as they occur in the document, at most {MAX_PHRASE} characters",
            )
    # A phrase that is listed twice, for example in two cases, would count twice.
    return tuple({folded(phrase): phrase for phrase in phrases}.values())


def _media_types(table: dict[str, Any], *, where: str) -> tuple[str, ...]:
    media_types = _texts(table, "media_types", where=where)
    for media_type in media_types:
        if not _MEDIA_TYPE.fullmatch(media_type):
            raise UsageError(
                f"{where}.media_types has {media_type!r}, which is not a media type",
                remedy="Write it in full and in lower case, for example application/pdf",
            )
    return media_types


def _texts(table: dict[str, Any], key: str, *, where: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"{where}.{key} must be a list of strings, got {value!r}", remedy=f'For example {key} = ["…"]')
    return tuple(value)
