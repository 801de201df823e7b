"""Limits on the size of documents that corpora set (ENG-20)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from octavo_sandbox.preflight import PreflightLimits

from ..storage import CorpusRecord

SETTING = "limits"
"""Key of the limits in the settings of a corpus."""


def limits_of(corpora: Iterable[CorpusRecord]) -> dict[str, int]:
    """The limits for a document of these corpora.

    A limit that only some of the corpora set is the higher one of theirs and of the default: a document of two corpora is
    converted once, and either may need it.
    """
    given: list[dict[str, int]] = [corpus.overrides.get(SETTING) or {} for corpus in corpora]
    found: dict[str, int] = {}
    for name in sorted({name for limits in given for name in limits}):
        values = [limits.get(name, _default(name)) for limits in given]
        known = [value for value in values if value is not None]
        if len(known) == len(values):  # a corpus without the limit allows every size
            found[name] = max(known)
    return found


def is_raised(now: Mapping[str, float], before: Mapping[str, float]) -> bool:
    """Whether a limit is higher than it was, so that a document that was too large may succeed."""
    for name in {*now, *before}:
        new, old = now.get(name, _default(name)), before.get(name, _default(name))
        if old is not None and (new is None or new > old):
            return True
    return False


def _default(name: str) -> int | None:
    """The limit without a setting; None: there is none."""
    return getattr(PreflightLimits(), name, None)
