"""The evaluation of reports: quotations by their locator first, then a scripted double of a judge (RES-18, RES-20)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from octavo_contracts import ToolUnavailable, UsageError
from octavo_digest.model_client import ModelAnswer
from octavo_library import Library
from octavo_research import Ceilings, Claim, Prices, Research, ResearchOptions, ResearchReport, Section
from octavo_research.commands.research import command
from octavo_research.evaluation_judge import (
    NOTES_CHARS,
    ClaimAnswer,
    GroundednessAnswer,
    Judge,
    JudgedRun,
    PairAnswer,
    RaceAnswer,
)
from octavo_research.model_calls import ModelCalls
from octavo_research.recorded_model import RecordedModel, ReplayedModel
from octavo_research.recording import Recording, Tape
from octavo_research.sources import LibrarySources
from octavo_retrieval import Scope

QUESTION = "How many harbour seals were counted?"
RATINGS = {"comprehensiveness": 8, "insight": 4, "instruction_following": 6, "readability": 10}


class ScriptedJudge:
    """A double of a judge: it answers by the form of a request, and keeps what it read."""

    identity = "scripted-judge"

    def __init__(self, **answers: Callable[[str], Any]) -> None:
        self.asked: list[tuple[str, str]] = []
        self._answers: dict[str, Callable[[str], Any]] = {
            ClaimAnswer.__name__: lambda _: {"is_supported": True, "reason": "It says so."},
            RaceAnswer.__name__: lambda _: RATINGS,
            GroundednessAnswer.__name__: lambda _: {"score": 7, "reason": "Most of it is."},
            PairAnswer.__name__: lambda _: {"better": 1},
            **answers,
        }

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def complete(self, prompt: str, *, instructions: str, owners: Sequence[Any] = ()) -> ModelAnswer[str]:
        raise NotImplementedError("a judge is asked for structured answers alone")

    def structured(self, prompt: str, *, instructions: str, form: Any, owners: Sequence[Any] = ()) -> ModelAnswer[Any]:
        self.asked.append((form.__name__, prompt))
        output = form.model_validate(self._answers[form.__name__](prompt))
        return ModelAnswer(output=output, requests=1, input_tokens=100, output_tokens=10)

    def prompts(self, form: type[Any]) -> list[str]:
        return [prompt for name, prompt in self.asked if name == form.__name__]


def judged(library: Library, **options: Any) -> tuple[Research, str]:
    research = Research(library)
    record = research.start(QUESTION, options=ResearchOptions(max_rounds=1, **options))
    research.run(record.research_id)
    return research, record.research_id


def rewritten(library: Library, research: Research, run: str, texts: Sequence[str]) -> JudgedRun:
    """The report of a run with claims in other words, each on the first citation of the run."""
    report = research.report(run)
    cited = report.citations()[0]
    claims = tuple(Claim(text=text, supported=True, citations=(cited,)) for text in texts)
    version = LibrarySources(Scope(library)).text(cited.document_id, cited.version)
    changed = replace(report, sections=(Section(heading=QUESTION, claims=claims),))
    return JudgedRun(report=changed, archived_text=lambda _: version[1], documents=(cited.document_id,))


def judge_of(library: Library, model: Any) -> Judge:
    return Judge(model, ModelCalls(sources=LibrarySources(Scope(library)), ceilings=Ceilings()))


def test_without_a_model_the_quotations_are_judged_and_the_rest_is_said(library: Library) -> None:
    """RES-18."""
    research, run = judged(library)
    found = research.evaluate(run)
    count = len(research.report(run).citations())
    assert found.judge == "none"
    assert found.status == "partly_judged"
    assert found.not_judged == ("race", "groundedness"), "each claim of the extractive mode is its quotation"
    assert (found.fact.citations, found.fact.judged, found.fact.citation_accuracy) == (count, count, 1.0)
    assert found.fact.effective_citations == len(found.claims)
    assert (found.race, found.groundedness, found.usage.requests) == (None, None, 0)


def test_a_claim_in_other_words_needs_a_judge(library: Library) -> None:
    """RES-18."""
    research, run = judged(library)
    given = rewritten(library, research, run, ["Seals were counted.", "Whales were counted."])
    without = judge_of(library, None).evaluate(given)
    assert [one.verdict for one in without.claims] == ["not_judged", "not_judged"]
    assert without.not_judged == ("claims", "race", "groundedness")
    assert without.fact.citation_accuracy is None

    model = ScriptedJudge(ClaimAnswer=lambda prompt: {"is_supported": "Whales" not in prompt, "reason": "So."})
    found = judge_of(library, model).evaluate(given)
    assert [(one.verdict, one.checked_by) for one in found.claims] == [("supported", "model"), ("unsupported", "model")]
    assert (found.fact.citation_accuracy, found.fact.effective_citations) == (0.5, 1)
    assert found.status == "judged"
    assert found.race is not None
    assert found.race.overall == 7.0
    assert found.groundedness is not None
    assert found.groundedness.score == 7
    assert found.usage.requests == 4
    quote = research.report(run).citations()[0].quote
    assert quote[:20] in model.prompts(ClaimAnswer)[0]


def test_a_quotation_that_no_source_has_is_never_given_to_the_judge(library: Library) -> None:
    """RES-18: quotations by their locator first."""
    research, run = judged(library)
    given = rewritten(library, research, run, ["Seals were counted."])
    claim = given.report.sections[0].claims[0]
    forged = replace(claim, citations=(replace(claim.citations[0], quote="Forty seals sang."),))
    report = replace(given.report, sections=(Section(heading=QUESTION, claims=(forged,)),))
    model = ScriptedJudge()
    found = judge_of(library, model).evaluate(replace(given, report=report))
    (verdict,) = found.claims
    assert (verdict.verdict, verdict.checked_by) == ("unsupported", "locator")
    assert found.has_failed_quotations
    assert "differs" in verdict.reason
    assert model.prompts(ClaimAnswer) == []
    assert (found.fact.citation_accuracy, found.fact.effective_citations) == (0.0, 0)


def test_a_report_without_claims_is_not_applicable(library: Library) -> None:
    """RES-18."""
    report = ResearchReport(research_id="r", question=QUESTION, status="completed", sections=())
    model = ScriptedJudge()
    found = judge_of(library, model).evaluate(JudgedRun(report=report, archived_text=lambda _: None))
    assert found.status == "not_applicable"
    assert (found.not_judged, found.fact.citation_accuracy, model.asked) == ((), None, [])


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda _: {"score": 11}, id="outside the scale"),
        pytest.param(lambda _: (_ for _ in ()).throw(TimeoutError), id="late"),
        pytest.param(lambda _: (_ for _ in ()).throw(ToolUnavailable("the server is gone")), id="gone"),
    ],
)
def test_a_judge_that_fails_leaves_its_part_without_a_verdict(library: Library, answer: Callable[[str], Any]) -> None:
    """RES-18."""
    from octavo_contracts import SchemaValidationFailed
    from pydantic import ValidationError

    def answered(prompt: str) -> Any:
        found = answer(prompt)
        try:
            return GroundednessAnswer.model_validate(found)
        except ValidationError as error:
            raise SchemaValidationFailed("the answer does not match") from error

    research, run = judged(library)
    found = research.evaluate(run, judge=ScriptedJudge(GroundednessAnswer=answered))
    assert found.groundedness is None
    assert found.race is not None
    assert found.not_judged == ("groundedness",)
    assert len(found.failures) == 1


def test_reports_are_compared_in_both_orders(library: Library) -> None:
    """RES-18: a judge that prefers the first place prefers no report."""
    research, first = judged(library)
    _, second = judged(library, max_claims=1)
    biased = asyncio.run(research.acompare(first, second, judge=ScriptedJudge()))
    assert biased.winner == "tie"
    assert biased.relative_score == 0.5
    assert biased.usage.requests == 2

    longest = research.report(first).citations()[-1].quote[:30]

    def better(prompt: str) -> dict[str, int]:
        return {"better": 1 if longest in prompt.partition("# Second")[0] else 2}

    assert research.compare(first, second, judge=ScriptedJudge(PairAnswer=better)).winner == first
    assert research.compare(second, first, judge=ScriptedJudge(PairAnswer=better)).winner == first
    assert research.compare(first, second).winner is None, "without a model"
    other = research.start("Another question?").research_id
    with pytest.raises(UsageError, match="different questions"):
        research.compare(first, other)


PRICES = Prices(input=1_000.0, output=0.0)


@pytest.mark.parametrize(
    ("ceilings", "reason"),
    [
        (Ceilings(max_tokens=100), "token_ceiling"),
        (Ceilings(max_usd=0.001, prices=PRICES), "money_ceiling"),
        (Ceilings(max_minutes=1e-9), "time_ceiling"),
    ],
)
def test_a_ceiling_ends_the_judging_and_is_said(library: Library, ceilings: Ceilings, reason: str) -> None:
    """RES-6, RES-18: checked before each call; what needs no model is judged all the same."""
    research, run = judged(library)
    model = ScriptedJudge()
    found = research.evaluate(run, judge=model, ceilings=ceilings)  # type: ignore[arg-type]  # doubles have no more than they need
    assert model.asked == []
    assert {one for one, _ in found.failures} == {reason}
    assert found.not_judged == ("race", "groundedness")
    assert found.fact.citation_accuracy == 1.0
    assert found.usage.total == 0


def test_the_ceilings_hold_for_both_evaluations_and_the_comparison_together(library: Library) -> None:
    """RES-6, RES-18."""
    research, first = judged(library)
    _, second = judged(library)
    whole = ScriptedJudge()
    research.compare(first, second, judge=whole)  # type: ignore[arg-type]  # doubles have no more than they need
    assert len(whole.asked) == 6, "two ratings of each report, and both orders"
    # The double has the account of 110 tokens for each call, and a prompt is estimated at some more.
    estimate = max(len(prompt) for _, prompt in whole.asked) // 4 + 2_100
    model = ScriptedJudge()
    found = research.compare(first, second, judge=model, ceilings=Ceilings(max_tokens=estimate + 2 * 110))  # type: ignore[arg-type]
    assert 0 < len(model.asked) < 6
    spent = found.first.usage.plus(found.second.usage).plus(found.usage)
    assert spent.total == 110 * len(model.asked)
    assert "token_ceiling" in {one for one, _ in (*found.first.failures, *found.second.failures, *found.failures)}
    assert found.winner is None


@pytest.mark.parametrize("given", [{"max_tokens": 0}, {"max_usd": 0.0}, {"max_minutes": float("nan")}])
def test_ceilings_are_positive(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Ceilings(**given)


def test_the_score_of_groundedness_reads_the_raw_notes_within_a_budget(library: Library) -> None:
    """RES-20."""
    research, run = judged(library)
    given = rewritten(library, research, run, ["Seals were counted."])
    model = ScriptedJudge()
    judge_of(library, model).evaluate(replace(given, raw_notes="A note on seals. " * 10_000))
    (prompt,) = model.prompts(GroundednessAnswer)
    notes = prompt.partition("## Raw notes of the research")[2]
    assert "A note on seals." in notes
    assert len(notes) < NOTES_CHARS + 200
    assert "Raw notes" not in model.prompts(RaceAnswer)[0]
    unsupervised = ScriptedJudge()
    research.evaluate(run, judge=unsupervised)
    assert "Raw notes" not in unsupervised.prompts(GroundednessAnswer)[0]


def test_a_recorded_judge_is_replayed_without_a_model(library: Library, tmp_path: Path) -> None:
    """RES-18, RES-19."""
    research, run = judged(library)
    path = tmp_path / "judge.jsonl"
    header = {"research_id": run, "question": QUESTION, "options": {}, "models": None}
    with Tape(path, header) as tape:
        first = asyncio.run(research.aevaluate(run, judge=RecordedModel(ScriptedJudge(), tape)))
    replayed = ReplayedModel(Recording.load(path), identity=ScriptedJudge.identity)
    assert research.evaluate(run, judge=replayed).to_dict() == first.to_dict()
    assert first.race is not None


def test_the_command_prints_the_evaluation(folder: Path) -> None:
    """RES-18."""
    with Library.open(folder, create=False) as library:
        _, run = judged(library)
        _, other = judged(library)
    done = CliRunner().invoke(command, ["evaluate", run, "--library", str(folder), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["fact"]["citation_accuracy"] == 1.0
    compared = CliRunner().invoke(command, ["evaluate", run, "--against", other, "--library", str(folder)])
    assert compared.exit_code == 0, compared.output
    assert "not judged: race, groundedness" in compared.stdout
    assert "winner: not judged" in compared.stdout
