"""Normal forms of names, so that mentions of the same entity match (ENT-2).

The form is for matching, not for display: a mention is always displayed as it is in the document. It unifies only
differences in spelling - case, spaces, quotation marks, titles, legal forms - and never two different names.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from octavo_text.normal_forms import normalised

from ..text.dates import coarse_reading

DATE_LABELS: Final = frozenset({"date", "time", "datetime"})
PERSON_LABELS: Final = frozenset({"person", "people", "per", "judge", "witness", "attorney", "author"})
ORGANISATION_LABELS: Final = frozenset({"organization", "organisation", "org", "company", "court", "agency"})

_TITLES = re.compile(r"^(?:(?:mr|mrs|ms|miss|dr|prof|professor|sir|dame|hon|rev|judge|justice)\.?\s+)+(?=\S)")
_FORM = re.compile(
    r"[\s,](?:inc|incorporated|corp|corporation|co|company|ltd|limited|llc|llp|lp|plc|gmbh|ag|sa|bv|nv|oy|ab)\.?$"
)
_LONGEST_FORM = len(" incorporated.")
_ARTICLE = re.compile(r"^the\s+(?=\S)")
_POSSESSIVE = re.compile(r"['’´]s?$")
_EDGES = " \t\n.,;:!?\"'“”‘’«»()[]{}*_`-–—"


class NormalForm(NamedTuple):
    """A mention's normal form.

    Attributes:
        key: shared by all mentions of the same entity.
        value: the form shown beside a mention: a date in ISO 8601, a name without surrounding punctuation.
    """

    key: str
    value: str


def normal_form(text: str, *, label: str) -> NormalForm:
    """Normalise a mention.

    Args:
        text: the mention, verbatim.
        label: its kind, in lower case; it selects the rules.
    """
    spaced = " ".join(normalised("NFKC", text).split())
    if label in DATE_LABELS and (day := coarse_reading(spaced)):
        return NormalForm(day, day)
    value = _POSSESSIVE.sub("", spaced.strip(_EDGES)).strip(_EDGES) or spaced
    key = value.casefold()
    if label in PERSON_LABELS:
        key = _person(key)
    elif label in ORGANISATION_LABELS:
        key = _organisation(key)
    return NormalForm(key, value)


def _person(key: str) -> str:
    last, comma, first = key.partition(",")
    if comma and first.strip() and "," not in first:
        key = f"{first.strip()} {last.strip()}"
    return _TITLES.sub("", key)


def _organisation(key: str) -> str:
    key = _ARTICLE.sub("", key)
    # Only the end is searched: a search of the whole key for each legal form would take quadratic time.
    end = len(key)
    while form := _FORM.search(key, max(0, end - _LONGEST_FORM), end):
        shorter = form.start()
        while shorter and key[shorter - 1] in " ,":
            shorter -= 1
        if not shorter:
            break
        end = shorter
    return key[:end]
