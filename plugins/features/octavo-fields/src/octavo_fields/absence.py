"""Explains why a field has no value: which labels the text has, what stands behind them, and what the schema could say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from octavo_contracts import page_separator
from octavo_library.text.dates import readings

from .labels import Labelled, labelled
from .schema import FieldSpec

BEHIND: Final = 30
"""Code points behind a label that are shown."""
MAX_SHOWN: Final = 3
"""Different texts behind labels that are shown."""

_DAY: Final = re.compile(r"(?<![\w/.\-])\d{1,2}([-/.])\d{1,2}\1(?:\d{4}|\d{2})(?![\w/]|[-.]\d)")
_SEVERAL: Final = re.compile(r"\S*\d\S*\s+\S*\d")
"""Two words with digits, one after the other."""
_PERCENTAGE: Final = re.compile(r"[-+−]?\d[\d.,]* ?%")
_WORDS_NEED: Final = "words have no form of their own: give a `pattern`, a `kind` (`text` takes the rest of the line behind `Label:`), or ask a language model"


def why_not(text: str, spec: FieldSpec) -> str:
    """Say why a field has no value.

    Args:
        text: the canonical text.
        spec: the field.
    """
    scope = first_pages(text, spec.pages)
    found = labelled(scope, spec.labels)
    parts = [_of_labels(scope, spec, found)]
    if (
        spec.kind == "date"
        and spec.date_order is None
        and (told := two_orders([scope[one.end : one.end + 2 * BEHIND] for one in found] or [scope]))
    ):
        parts = [*([] if found else parts), told]
    if spec.kind == "text" and not spec.has_kind and spec.pattern is None:
        parts.append(_WORDS_NEED)
    return "; ".join(parts)


def first_pages(text: str, count: int) -> str:
    """Return the text up to the end of a page; the whole text for 0."""
    end = text.find(page_separator(count + 1)) if count else -1
    return text if end < 0 else text[:end]


def no_label(spec: FieldSpec) -> str:
    """Say that a text has none of a field's labels."""
    named = " or ".join(f'"{label}"' for label in spec.labels)
    where = (
        "the text has" if not spec.pages else f"the first {spec.pages} pages have" if spec.pages > 1 else "page 1 has"
    )
    return f"{where} no label {named}" + ("" if spec.has_labels else ": give `labels`")


def _of_labels(text: str, spec: FieldSpec, found: Sequence[Labelled]) -> str:
    if not found:
        return no_label(spec)
    behind = dict.fromkeys(shown for one in found if (shown := _behind(text, one)))
    if not behind:
        return f'nothing stands behind "{text[found[0].start : found[0].end]}"'
    first = next(one for one in found if _behind(text, one))
    label = text[first.start : first.end].rstrip(". ")
    told = " and ".join(f'"{shown}"' for shown in list(behind)[:MAX_SHOWN])
    more = " and more" if len(behind) > MAX_SHOWN else ""
    wanted = "text that matches the pattern" if spec.pattern is not None else spec.kind
    if spec.kind == "text" or spec.pattern is not None:
        advice = ""
    elif any(map(_PERCENTAGE.match, behind)):
        advice = "; a percentage is found by a `pattern`, such as `([0-9.,]+) ?%`"
    elif len(behind) > 1:
        colon = "" if first.label.rstrip().endswith(":") else ", its colon"
        advice = f"; to choose a place, give its whole label: the words before it, those behind it{colon}"
    elif spec.kind == "identifier" and any(map(_SEVERAL.match, behind)):
        advice = "; more than one value may stand there: a `pattern` chooses one"
    else:
        advice = f"; {_with_article(wanted)} is found directly behind its label, and in the usual forms; a `pattern` may find others"
    return f'no single {wanted} behind "{label}": there stands {told}{more}{advice}'


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun.replace('_', ' ')}" if " " not in noun else noun


def _behind(text: str, place: Labelled) -> str:
    """Return the words behind a label, without the colon."""
    rest = text[place.end : place.end + 2 * BEHIND].split("\n")[0].strip(" \t:=")
    return rest if len(rest) <= BEHIND else rest[:BEHIND].rpartition(" ")[0] or rest[:BEHIND]


def two_orders(scopes: Iterable[str]) -> str:
    """Say which date has several readings: the first one of several texts."""
    for scope in scopes:
        for match in _DAY.finditer(scope):
            if len(days := readings(match.group())) > 1:
                return f'"{match.group()}" may mean {" or ".join(days)}: give `date_order`'
    return ""
