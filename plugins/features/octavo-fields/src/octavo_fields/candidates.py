"""Which questions a literal extractor may answer: the candidate rules of CNV-13, as one pure function.

A literal extractor copies. So it may only be asked for what can be copied, and only where the copy can be compared with
the text. Whatever asks for a judgement goes to a language model, and what that says is never verified by a span alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

LITERAL_TARGETS: Final = frozenset({"literal", "metadata", "numeric", "citation", "source_span"})
"""Kinds of target that stand in a text."""

_INTERPRETIVE: Final = re.compile(
    r"\b(mislead(?:s|ing)?|supports?|supporting|impl(?:y|ies|ied|ication)|holdings?|relevan(?:t|ce)|scienter|"
    r"materiality|summar(?:y|ies|i[sz]e[sd]?)|counterfactual)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class LiteralTask:
    """What is asked.

    Attributes:
        has_schema: whether a schema says what is wanted.
        target: kind of the target; one of `LITERAL_TARGETS`, or another word such as 'judgement'.
        wording: the names, titles and descriptions in which the question is put.
        verification: 'grounding' where being found in the text is all the proof there is; else another word.
        output: 'verbatim', 'normalised' from what is verbatim, or 'generated'.
        literal_only: whether the asker wants nothing that does not stand in the text.
        judgement: whether somebody has to weigh something.
        sources: from how many sources the answer has to be weighed.
        counterfactual: whether the question is what would be if.
    """

    has_schema: bool = True
    target: str = "literal"
    wording: str = ""
    verification: str = "grounding"
    output: Literal["verbatim", "normalised", "generated"] = "verbatim"
    literal_only: bool = True
    judgement: bool = False
    sources: int = 1
    counterfactual: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """Who may answer.

    Attributes:
        literal: whether a literal extractor may.
        reasons: why not; empty where it may.
    """

    literal: bool
    reasons: tuple[str, ...] = ()


def literal_route(task: LiteralTask) -> Route:
    """Apply the rules: every one has to hold."""
    found = _INTERPRETIVE.search(task.wording.replace("_", " "))
    rules = (
        (task.has_schema, "no schema is given"),
        (task.verification == "grounding", f"its verification is {task.verification}, not grounding alone"),
        (task.target in LITERAL_TARGETS, f"its target is {task.target}, which does not stand in a text"),
        (not task.judgement, "it asks for a judgement"),
        (task.output != "generated", "its output is neither verbatim nor normalised from what is"),
        (task.literal_only, "more than literal values is wanted"),
        (found is None, f"it is interpretive: {found.group().lower() if found else ''}"),
        (task.sources == 1, "it weighs several sources"),
        (not task.counterfactual, "it is counterfactual"),
    )
    reasons = tuple(reason for holds, reason in rules if not holds)
    return Route(literal=not reasons, reasons=reasons)
