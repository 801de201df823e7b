"""Reads a JSON Schema into wanted fields, with a kind, labels and an optional pattern."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import JsonValue

KINDS: Final = ("date", "amount", "number", "email", "url", "phone", "case_number", "citation", "identifier")
"""What this engine can find. Running text has no pattern, so a field of the kind `text` needs one of its own."""

_FORMATS: Final = {"date": "date", "date-time": "date", "email": "email", "uri": "url", "url": "url"}
_WORDS_OF_KIND: Final = {
    "date": {"date"},
    "email": {"e mail", "email", "email address", "mail", "e mail address"},
    "url": {"url", "website", "web site", "homepage", "link"},
    "case_number": {"case number", "case no", "docket number", "docket no"},
    "citation": {"citation"},
    "phone": {"phone", "telephone", "phone number", "telephone number"},
}
_KIND_OF_LAST_WORD: Final = {
    "date": "date",
    "email": "email",
    "mail": "email",
    "url": "url",
    "website": "url",
    "phone": "phone",
    "telephone": "phone",
    "mobile": "phone",
    "fax": "phone",
    "number": "identifier",
    "no": "identifier",
    "reference": "identifier",
    "ref": "identifier",
    "id": "identifier",
}
"""Last word of the name of a text field that has neither a kind nor a pattern → the kind that it means."""
_RATES: Final = frozenset({"rate", "percent", "percentage", "share", "margin", "growth", "ratio", "yield", "change"})
"""Last words of the names of numbers that documents print with a percent sign."""
_SHORT_LABELS: Final = {"reference": "ref", "telephone": "tel", "phone": "tel"}
"""Words of a label → how documents abbreviate them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """One field.

    Attributes:
        name: its name.
        kind: one of `KINDS`, or '' where the pattern alone says what is wanted.
        labels: how documents name it; the title and the name where the schema gives none.
        pattern: what the value looks like, or None.
        integer: whether a number must be whole.
        date_order: 'dmy', 'mdy', 'ymd' or None.
        pages: look at the first pages only; 0 for all.
        generic: whether its name says no more than its kind: then the only value of that kind in a document is meant.
        rate: whether a number with a percent sign can be meant.
        dates: what the field is the date of, in words: `invoice` of an invoice date; '' for other fields.
    """

    name: str
    kind: str
    labels: tuple[str, ...]
    pattern: re.Pattern[str] | None
    integer: bool
    date_order: str | None
    pages: int
    generic: bool
    rate: bool = False
    dates: str = ""


def read_wanted(schema: Mapping[str, JsonValue]) -> list[Wanted]:
    """The fields of a schema that this engine can look for; the others are left out."""
    properties = schema.get("properties")
    found = []
    for name, value in properties.items() if isinstance(properties, dict) else ():
        wanted = _wanted(name, value) if isinstance(value, dict) else None
        if wanted is not None:
            found.append(wanted)
    return found


def _wanted(name: str, value: Mapping[str, Any]) -> Wanted | None:
    extra = value.get("x-octavo")
    extra = extra if isinstance(extra, dict) else {}
    kind = str(extra.get("kind") or _FORMATS.get(str(value.get("format")), ""))
    types = _types(value)
    if not kind and types & {"number", "integer"}:
        kind = "number"
    given = value.get("pattern")
    words = _words(name)
    if not kind and given is None and "string" in types:
        kind = _KIND_OF_LAST_WORD.get(words.rpartition(" ")[2], "")
        kind = next((one for one, meant in _WORDS_OF_KIND.items() if words in meant), kind)
    pattern = re.compile(str(given).removeprefix("^").removesuffix("$")) if isinstance(given, str) else None
    if kind not in KINDS and pattern is None:
        return None
    labels = [str(label) for label in extra.get("labels") or ()]
    title = value.get("title")
    return Wanted(
        name=name,
        kind=kind if kind in KINDS else "",
        labels=tuple(labels) or tuple(dict.fromkeys([*([str(title)] if title else []), *_spoken(words, kind)])),
        pattern=pattern,
        integer="integer" in types and "number" not in types,
        date_order=extra.get("date_order"),
        pages=extra["pages"] if isinstance(extra.get("pages"), int) else 0,
        generic=not labels and words in _WORDS_OF_KIND.get(kind, set()),
        rate=words.rpartition(" ")[2] in _RATES or any("%" in label for label in labels),
        dates=words.removesuffix(" date") if kind == "date" and not labels and words.endswith(" date") else "",
    )


def _spoken(words: str, kind: str) -> list[str]:
    """The labels that a name means: `invoice number` is printed as `Invoice` too, `reference` as `Ref`."""
    head, _, last = words.rpartition(" ")
    found = [words]
    if kind == "date" and head and last == "date":
        found += [f"date of {head}", f"{head} dated"]
    if kind == "identifier" and head and last in ("number", "no", "id"):
        found.append(head)
    if (short := _SHORT_LABELS.get(last)) is not None:
        found.append(f"{head} {short}".strip())
    return found


def _types(value: Mapping[str, Any]) -> set[str]:
    given = value.get("type")
    found = {given} if isinstance(given, str) else set(given) if isinstance(given, list) else set()
    for one in value.get("anyOf") or ():
        found |= _types(one) if isinstance(one, dict) else set()
    return found


def _words(name: str) -> str:
    return re.sub(r"[_\-\s]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).strip().lower()
