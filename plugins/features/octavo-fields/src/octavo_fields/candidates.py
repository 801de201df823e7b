"""The candidate rules of CNV-13: which questions a literal extractor may answer.

A literal extractor copies text. So it may only be asked for values that can be copied and compared with the text.
Questions of judgement go to a language model, whose answers are never verified by a span alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

LITERAL_TARGETS: Final = frozenset({"literal", "metadata", "numeric", "citation", "source_span"})
"""Kinds of target that occur literally in a text."""

_INTERPRETIVE: Final = re.compile(
    r"\b(mislead(?:s|ing)?|supports?|supporting|impl(?:y|ies|ied|ication)|holdings?|relevan(?:t|ce)|scienter|"
    r"materiality|summar(?:y|ies|i[sz]e[sd]?)|counterfactual)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class LiteralTask:
    """A question for extraction.

    Attributes:
        has_schema: whether a schema describes the value.
        target: kind of the target; one of `LITERAL_TARGETS`, or another word such as 'judgement'.
        wording: the names, titles and descriptions of the question.
        verification: 'grounding' if finding the value in the text is sufficient proof; else another word.
        output: 'verbatim', 'normalised' from verbatim text, or 'generated'.
        literal_only: whether only values that occur in the text are wanted.
        judgement: whether the answer needs a judgement.
        sources: number of sources to weigh for the answer.
        counterfactual: whether the question is hypothetical.
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
    """Whether a literal extractor may answer.

    Attributes:
        literal: whether it may.
        reasons: why not; empty if it may.
    """

    literal: bool
    reasons: tuple[str, ...] = ()


def literal_route(task: LiteralTask) -> Route:
    """Apply the rules, all of which must hold."""
    found = _INTERPRETIVE.search(task.wording.replace("_", " "))
    rules = (
        (task.has_schema, "there is no schema"),
        (task.verification == "grounding", f"the verification is {task.verification}, not grounding alone"),
        (task.target in LITERAL_TARGETS, f"the target {task.target} does not occur literally in a text"),
        (not task.judgement, "it asks for a judgement"),
        (task.output != "generated", "the output is neither verbatim nor normalised from verbatim text"),
        (task.literal_only, "more than literal values is wanted"),
        (found is None, f"it asks for an interpretation: {found.group().lower() if found else ''}"),
        (task.sources == 1, "it weighs several sources"),
        (not task.counterfactual, "it is counterfactual"),
    )
    reasons = tuple(reason for holds, reason in rules if not holds)
    return Route(literal=not reasons, reasons=reasons)
