"""Research over a library: durable runs, and reports whose every quotation can be verified (RES)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .evaluation import ClaimVerdict, Comparison, Evaluation, FactScores, Groundedness, RaceScores
    from .options import ResearchOptions
    from .replayed_run import Replay, replay
    from .report import Citation, Claim, Failure, ResearchReport, Section
    from .research import Research, RunState
    from .spending import Ceilings, Prices, Usage

__all__ = [
    "Ceilings",
    "Citation",
    "Claim",
    "ClaimVerdict",
    "Comparison",
    "Evaluation",
    "FactScores",
    "Failure",
    "Groundedness",
    "Prices",
    "RaceScores",
    "Replay",
    "Research",
    "ResearchOptions",
    "ResearchReport",
    "RunState",
    "Section",
    "Usage",
    "replay",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Ceilings": "spending",
        "Citation": "report",
        "Claim": "report",
        "ClaimVerdict": "evaluation",
        "Comparison": "evaluation",
        "Evaluation": "evaluation",
        "FactScores": "evaluation",
        "Failure": "report",
        "Groundedness": "evaluation",
        "Prices": "spending",
        "RaceScores": "evaluation",
        "Replay": "replayed_run",
        "Research": "research",
        "ResearchOptions": "options",
        "ResearchReport": "report",
        "RunState": "research",
        "Section": "report",
        "Usage": "spending",
        "replay": "replayed_run",
    },
)
