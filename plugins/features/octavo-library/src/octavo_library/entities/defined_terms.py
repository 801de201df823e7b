"""Terms that a contract or a filing defines for things: no names, whatever an engine takes them for (ENT-2).

`(each an "Equipment Advance")` behind a word in small letters, and `"Collateral" means`, define a thing. Behind a name, as in
`Amcor plc ("Amcor")`, the term is another name of what was named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from octavo_text.deadline import checkpoint

from .names import ORGANISATION_LABELS, PERSON_LABELS

_NAMED: Final = PERSON_LABELS | ORGANISATION_LABELS | {"location", "gpe", "loc", "place"}
_QUOTED: Final = re.compile(r"[\"“]\s?(?:the |this )?(?P<term>[A-Z][^\W_]*(?:[ /&’'-]{1,3}[^\W_]+){0,5})\s?[\"”]")
_MEANS: Final = re.compile(r"\s+(?:shall |will )?(?:means?|include[sd]?|has the meaning|have the meaning|is defined)\b")
_BEFORE: Final = 60
"""Code points in front of a definition that are searched for its opening bracket."""
_OPENED: Final = re.compile(r"(?P<word>\w+)[\s,;:\"”]*\((?:[\w\s,]|[\"“”])*$")
_ACRONYM: Final = re.compile(r"[A-Z][A-Z&]{1,6}s?")
_DETERMINER: Final = re.compile(
    r"(?:the|this|that|each|any|no|an?|all|such|its|our|their|initial|further|new)\s+", re.IGNORECASE
)


def things_defined(text: str) -> frozenset[str]:
    """Return the terms that a text defines for things, in lower case and in the singular."""
    found = set()
    for match in _QUOTED.finditer(text):
        checkpoint()
        term = match["term"]
        if _ACRONYM.fullmatch(term):
            continue
        opened = _OPENED.search(text[max(0, match.start() - _BEFORE) : match.start()])
        behind_a_name = opened is not None and not opened["word"][0].islower() and not opened["word"][0].isdecimal()
        if (opened is not None and not behind_a_name) or _MEANS.match(text, match.end()):
            found.add(_form(term))
    return frozenset(found)


def is_thing(mention: str, *, label: str, things: Iterable[str]) -> bool:
    """Return whether a mention of a person, an organisation or a place is a defined thing.

    Args:
        mention: verbatim.
        label: its kind, in lower case.
        things: of `things_defined`.
    """
    return label in _NAMED and _form(mention) in things


def _form(term: str) -> str:
    said = " ".join(term.split())
    while (cut := _DETERMINER.match(said)) is not None:
        said = said[cut.end() :]
    return said.casefold().removesuffix("s")
