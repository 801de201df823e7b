"""The table `[types]` of a profile: types of documents that it registers besides the shipped ones (CLS-2, CLS-9)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

from octavo_contracts import UsageError

from ..builtins.classification.document_types import SHIPPED_TYPES, TABLE_HEAVY_TYPES, UNKNOWN
from ..builtins.classification.registered_types import RegisteredType, folded

MAX_TYPES = 32
MAX_PHRASES = 16
MAX_PHRASE = 100
"""Limits on what is looked for in every document. On the longest text that is looked at, to make it ready for phrases takes
1.5 ms and a phrase some hundredths of one: with all limits reached it is 15 ms, and 40 with the worst phrases that we could
think of, within what classifying a document may take (CLS-7)."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")
_KEYS = ("title", "words", "media_types", "refines", "table_heavy")


def is_type_name(name: str) -> bool:
    """Whether a name can be that of a type: small letters, digits and underscores, a letter first, 64 at most."""
    return _NAME.fullmatch(name) is not None


def nearest(name: str, known: Iterable[str]) -> str:
    """What an error says of a name that is not known: the one that was probably meant, or nothing."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def parse_types(table: object, *, origin: str) -> tuple[RegisteredType, ...]:
    """Read the table.

    Args:
        table: what TOML gave.
        origin: the profile, for messages.

    Raises:
        UsageError: a name that can be none, an unknown key, a value of the wrong kind, or more than the limits allow.
    """
    if not isinstance(table, dict):
        raise UsageError(
            f"profile {origin}: types is {table!r}", remedy="Write a table for each type, for example [types.lease]"
        )
    if len(table) > MAX_TYPES:
        raise UsageError(
            f"profile {origin} registers {len(table)} types of documents; {MAX_TYPES} are the most",
            remedy="Register those that routing or entities tell apart, and set others by hand",
        )
    return tuple(_type(name, value, origin=origin) for name, value in table.items())


def _type(name: str, table: object, *, origin: str) -> RegisteredType:
    where = f"profile {origin}: types.{name}"
    if name == UNKNOWN or not is_type_name(name):
        raise UsageError(
            f"{where} is no name of a type",
            remedy=f"Use small letters, digits and underscores, a letter first, 64 at most; not {UNKNOWN!r}",
        )
    if not isinstance(table, dict):
        raise UsageError(f"{where} is {table!r}", remedy=f"Write a table [types.{name}] with {', '.join(_KEYS)}")
    for key in table:
        if key not in _KEYS:
            raise UsageError(f"{where} has {key!r}{nearest(key, _KEYS)}", remedy=f"Use {', '.join(_KEYS)}")
    refines = _refined(table, name, where=where)
    # A kind of filing is as heavy as filings are, unless the profile says otherwise.
    heavy: Any = table.get("table_heavy", (refines or name) in TABLE_HEAVY_TYPES)
    if not isinstance(heavy, bool):
        raise UsageError(f"{where}.table_heavy is {heavy!r}", remedy="Write true or false")
    return RegisteredType(
        name=name,
        title=_phrases(table, "title", where=where),
        words=_phrases(table, "words", where=where),
        media_types=_media_types(table, where=where),
        refines=refines,
        table_heavy=heavy,
    )


def _refined(table: dict[str, Any], name: str, *, where: str) -> str | None:
    refines = table.get("refines")
    if refines is None or (refines in SHIPPED_TYPES and refines != name):
        return None if refines is None else str(refines)
    hint = nearest(refines, SHIPPED_TYPES) if isinstance(refines, str) and refines != name else ""
    others = ", ".join(one for one in SHIPPED_TYPES if one != name)
    raise UsageError(f"{where}.refines is {refines!r}{hint}", remedy=f"Name the shipped type it is a kind of: {others}")


def _phrases(table: dict[str, Any], key: str, *, where: str) -> tuple[str, ...]:
    phrases = _texts(table, key, where=where)
    if len(phrases) > MAX_PHRASES:
        raise UsageError(
            f"{where}.{key} has {len(phrases)} phrases; {MAX_PHRASES} are the most", remedy="Keep the most telling ones"
        )
    for phrase in phrases:
        if not folded(phrase) or len(phrase) > MAX_PHRASE:
            raise UsageError(
                f"{where}.{key} has {phrase[:MAX_PHRASE]!r}, which is no phrase to look for",
                remedy=f"Write words as they stand in the document, {MAX_PHRASE} characters at most",
            )
    # One that is written twice, in two cases say, would count twice.
    return tuple({folded(phrase): phrase for phrase in phrases}.values())


def _media_types(table: dict[str, Any], *, where: str) -> tuple[str, ...]:
    media_types = _texts(table, "media_types", where=where)
    for media_type in media_types:
        if not _MEDIA_TYPE.fullmatch(media_type):
            raise UsageError(
                f"{where}.media_types has {media_type!r}, which is no media type",
                remedy="Write it in full and in small letters, for example application/pdf",
            )
    return media_types


def _texts(table: dict[str, Any], key: str, *, where: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"{where}.{key} is {value!r}", remedy=f'Write a list of texts, for example {key} = ["…"]')
    return tuple(value)
