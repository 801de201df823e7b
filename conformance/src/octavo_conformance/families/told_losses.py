"""OC-GOLD on warnings about documents of which nothing is missing."""

from __future__ import annotations

from octavo_contracts import DegradedFlag

from ..checks import Broken, check
from ..subject import Subject
from ..vectors import GoldenVector
from .unseen import expect_words

_LOSSES = frozenset({DegradedFlag.PARTIAL_CONVERSION.value, DegradedFlag.ENCODING_REPAIRED.value})
"""Warnings that something is missing, or was replaced."""


@check(
    "OC-GOLD-045",
    scope="fresh",
    level=3,
    spec=("QLT-2", "QLT-1"),
    requires=("OC-ERR-013", "OC-GOLD-009"),
    hook="convert",
)
def no_loss_is_told_where_nothing_is_lost(subject: Subject, vector: GoldenVector) -> None:
    """A fresh document of which every word is in the conversion has neither the warning `partial_conversion` nor `encoding_repaired`.

    Fix:
    Add the warning where the engine reports a loss, and nowhere else: readers stop to read a warning that every document has.
    """
    conversion = subject.convert_as_host(vector).conversion()
    told = [one for one in conversion.warnings if one.code in _LOSSES]
    if not told:
        return
    try:
        expect_words(subject, vector, conversion)
    except Broken:
        return  # another check says what is missing
    raise Broken(
        "a loss is told where nothing is lost",
        expected="no such warning",
        actual=[f"{one.code}: {one.message}" for one in told][:4],
    )
