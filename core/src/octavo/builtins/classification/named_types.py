"""The type that the name of a file states, for documents whose text states none (CLS-10). English words only.

The same bytes may have different names at different places, so the classifier never uses them. Callers pass only the names that
the asker may see (STO-5).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import unquote

_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?<![a-z0-9])(?:{words})(?![a-z0-9])"))
    for name, words in (
        ("deposition", "deposition|depo|depo transcript"),
        ("complaint", "complaint"),
        ("expert_report", "expert report"),
        ("motion", "motion"),
        ("contract", "contract|agreement|lease"),
        ("sec_filing", "10 ?[kq]|8 ?k"),
        ("earnings_call_transcript", "earnings call"),
        ("manual", "manual|handbook"),
    )
)
_ABOUT = re.compile(
    r"(?<![a-z0-9])(?:notice|notes?|outline|prep|preparation|summary|index|digest|exhibits?|errata|checklist|template|form|"
    r"list|request|letter|email|re)(?![a-z0-9])"
)
"""Words of names of documents about another one."""


def type_by_names(names: Iterable[str]) -> str | None:
    """Return the type that the names of a document state; None if they state none, or different ones.

    Args:
        names: names, paths or references of files.
    """
    found = {kind for name in names if (kind := _type_of(name)) is not None}
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=4096)  # a page of a listing has the names of fifty documents
def _type_of(name: str) -> str | None:
    stem = unquote(re.split(r"[/\\]", name.rstrip("/"))[-1]).rpartition(".")[0].lower()
    words = " ".join(re.split(r"[\W_]+", stem))
    kinds = [kind for kind, pattern in _RULES if pattern.search(words)]
    return kinds[0] if len(kinds) == 1 and not _ABOUT.search(words) else None
