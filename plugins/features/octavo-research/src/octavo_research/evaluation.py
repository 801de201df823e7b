"""The evaluation of a report: a verdict for each claim, the scores of the whole, and the comparison of two reports (RES-18).

The scores follow DeepResearch Bench: FACT counts citations that support their claims, RACE rates the text in four dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from octavo_contracts import verify_report

from .report import Claim, ResearchReport
from .spending import Usage

Verdict = Literal["supported", "unsupported", "not_judged"]
CheckedBy = Literal["locator", "model", "none"]
Status = Literal["judged", "partly_judged", "not_applicable"]


@dataclass(frozen=True, kw_only=True)
class ClaimVerdict:
    """The verdict on one claim.

    Attributes:
        text: the claim.
        verdict: `supported`, `unsupported`, or `not_judged` where only a model could tell and none did.
        checked_by: `locator`: the comparison with the archived text decided; `model`: the judge did; `none`: not decided.
        reason: why, for people.
        documents: the document of each citation.
        has_failed_quotation: whether a quotation is not in the archived text.
    """

    text: str
    verdict: Verdict
    checked_by: CheckedBy
    reason: str
    documents: tuple[str, ...] = ()
    has_failed_quotation: bool = False


@dataclass(frozen=True, kw_only=True)
class FactScores:
    """How well claims are supported by what they cite.

    Attributes:
        citations: all citations of the report.
        judged: citations whose claim has a verdict.
        citation_accuracy: share of the judged citations whose claim is supported, 0 to 1; None: none was judged.
        effective_citations: distinct pairs of a supported claim and a document.
    """

    citations: int
    judged: int
    citation_accuracy: float | None
    effective_citations: int


@dataclass(frozen=True, kw_only=True)
class RaceScores:
    """How good the text is, each from 0 to 10, as the judge rates it.

    Attributes:
        comprehensiveness: whether it covers the question.
        insight: whether it explains, and does not only list.
        instruction_following: whether it answers what was asked.
        readability: whether it is clear.
    """

    comprehensiveness: int
    insight: int
    instruction_following: int
    readability: int

    @property
    def overall(self) -> float:
        """Mean of the four, each with the same weight."""
        return (self.comprehensiveness + self.insight + self.instruction_following + self.readability) / 4


@dataclass(frozen=True, kw_only=True)
class Groundedness:
    """Whether the report stays within what the research found.

    Attributes:
        score: from 0 to 10.
        reason: why, in the words of the judge.
    """

    score: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The evaluation of one report.

    Attributes:
        research_id: the run.
        judge: name of the model that judged, or `none`.
        claims: a verdict for each claim.
        race: ratings of the text; None: not judged.
        groundedness: None: not judged.
        failures: why the judge could not be asked; each a reason code and a message.
        usage: what the judge has cost.
    """

    research_id: str
    judge: str
    claims: tuple[ClaimVerdict, ...]
    race: RaceScores | None = None
    groundedness: Groundedness | None = None
    failures: tuple[tuple[str, str], ...] = ()
    usage: Usage = field(default_factory=Usage)

    @property
    def status(self) -> Status:
        """`not_applicable` for a report without claims."""
        if not self.claims:
            return "not_applicable"
        return "partly_judged" if self.not_judged else "judged"

    @property
    def has_failed_quotations(self) -> bool:
        """Whether a quotation of the report is not in the archived text."""
        return any(one.has_failed_quotation for one in self.claims)

    @property
    def not_judged(self) -> tuple[str, ...]:
        """The parts that need a model and have no verdict: `claims`, `race`, `groundedness`."""
        if not self.claims:
            return ()
        missing = {
            "claims": any(one.verdict == "not_judged" for one in self.claims),
            "race": self.race is None,
            "groundedness": self.groundedness is None,
        }
        return tuple(name for name, is_missing in missing.items() if is_missing)

    @property
    def fact(self) -> FactScores:
        """The scores of the citations."""
        judged = [one for one in self.claims if one.verdict != "not_judged"]
        supported = [one for one in judged if one.verdict == "supported"]
        count = sum(len(one.documents) for one in judged)
        right = sum(len(one.documents) for one in supported)
        return FactScores(
            citations=sum(len(one.documents) for one in self.claims),
            judged=count,
            citation_accuracy=right / count if count else None,
            effective_citations=sum(len(set(one.documents)) for one in supported),
        )

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as JSON has it."""
        race = {**asdict(self.race), "overall": self.race.overall} if self.race is not None else None
        return {
            "research_id": self.research_id,
            "status": self.status,
            "judge": self.judge,
            "claims": [{**asdict(one), "documents": list(one.documents)} for one in self.claims],
            "fact": asdict(self.fact),
            "race": race,
            "groundedness": asdict(self.groundedness) if self.groundedness is not None else None,
            "not_judged": list(self.not_judged),
            "failures": [{"reason": reason, "message": message} for reason, message in self.failures],
            "usage": self.usage.to_json(),
        }


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two reports on one question, compared.

    Attributes:
        first: the evaluation of one report.
        second: the evaluation of the other.
        winner: id of the run whose report the judge prefers in both orders; `tie`: in neither, or another one in each order; None:
            not judged.
        failures: why the judge could not be asked.
        usage: what the comparison has cost, without the two evaluations.
    """

    first: Evaluation
    second: Evaluation
    winner: str | None = None
    failures: tuple[tuple[str, str], ...] = ()
    usage: Usage = field(default_factory=Usage)

    @property
    def relative_score(self) -> float | None:
        """The first report's share of both overall ratings, 0 to 1: 0.5 where they are equal; None: not judged."""
        if self.first.race is None or self.second.race is None:
            return None
        both = self.first.race.overall + self.second.race.overall
        return self.first.race.overall / both if both else 0.5

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        return {
            "first": self.first.to_dict(),
            "second": self.second.to_dict(),
            "winner": self.winner,
            "relative_score": self.relative_score,
            "failures": [{"reason": reason, "message": message} for reason, message in self.failures],
            "usage": self.usage.to_json(),
        }


def claims_of(report: ResearchReport) -> list[Claim]:
    """All claims, in order."""
    return [claim for section in report.sections for claim in section.claims]


def checked_by_locator(claims: Sequence[Claim], archived_text: Callable[[str], str | None]) -> list[ClaimVerdict]:
    """The verdicts that need no model; a claim in a model's words, whose quotations all hold, is left to the judge.

    Args:
        claims: the claims.
        archived_text: returns the archived text with a SHA-256 in hex, or None if no text has it.
    """
    return [_checked(claim, archived_text) for claim in claims]


def _checked(claim: Claim, archived_text: Callable[[str], str | None]) -> ClaimVerdict:
    documents = tuple(one.document_id for one in claim.citations)

    def verdict(found: Verdict, checked_by: CheckedBy, reason: str) -> ClaimVerdict:
        return ClaimVerdict(text=claim.text, verdict=found, checked_by=checked_by, reason=reason, documents=documents)

    if not claim.citations:
        return verdict("unsupported", "locator", "The claim cites nothing")
    citations = [asdict(one) for one in claim.citations]
    told = {"text": claim.text, "supported": claim.supported, "citations": citations}
    # As a claim of a model: one whose words are no quotation is left to the judge, below.
    found = verify_report({"model": "unknown", "sections": [{"claims": [told]}]}, archived_text)
    if found.status != "verified":
        return replace(verdict("unsupported", "locator", str(found.problem)), has_failed_quotation=True)
    if claim.text in {one.quote for one in claim.citations}:
        return verdict("supported", "locator", "The claim is its quotation")
    return verdict("not_judged", "none", "The quotations hold; whether they support the claim needs a model")
