"""A run under a supervisor: compressed findings, reflections with the coverage delta, raw notes and their budgets (RES-9 to RES-17, RES-21)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from octavo_contracts import ToolUnavailable
from octavo_digest.model_client import ModelAnswer, TokenLimitReached
from octavo_digest.model_tools import ToolAnswer, ToolTurn
from octavo_library import Library
from octavo_research import Research, ResearchOptions
from octavo_research.compression import within
from octavo_research.evaluation_judge import ClaimAnswer, GroundednessAnswer, RaceAnswer
from octavo_research.language_model import models_of
from octavo_research.model_plan import Plan
from octavo_research.model_synthesis import DraftReport
from octavo_research.planning import sub_queries
from octavo_research.supervision import Reflection
from octavo_research.synthesis_notes import SUPPLEMENTARY, SynthesisNotes
from octavo_research.topic_notes import NoteMessage, aggregated, at_boundary, raw_notes

QUESTION = "How many harbour seals were counted, and what did the zeppelin committee decide about lanterns?"
Answers = Callable[[str], Any]


class SupervisingModel:
    """A double of a model: one answer for each kind of request. It keeps the prompts."""

    def __init__(self, identity: str = "supervising-double", **answers: Answers) -> None:
        self.identity = identity
        self.prompts: dict[str, list[str]] = {kind: [] for kind in DEFAULTS}
        self._answers = answers

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def structured(self, prompt: str, *, instructions: str, form: Any, owners: Sequence[Any] = ()) -> ModelAnswer[Any]:
        kind = {DraftReport: "report", Reflection: "think", Plan: "plan"}.get(form) or (
            "compress" if instructions.startswith("You compress") else "summary"
        )
        self.prompts[kind].append(prompt)
        answer = self._answers.get(kind, DEFAULTS[kind])(prompt)
        output = answer if form is str else form.model_validate(answer)
        return ModelAnswer(output=output, requests=1, input_tokens=100, output_tokens=10)

    def tools(self, prompt: str, *, turns: Sequence[ToolTurn] = (), **_: Any) -> ModelAnswer[ToolAnswer]:
        self.prompts["tools"].append("".join([prompt, *(result for one in turns for result in one.results)]))
        calls = self._answers.get("tools", DEFAULTS["tools"])(self.prompts["tools"][-1])
        output = ToolAnswer(text="", calls=tuple(calls))
        return ModelAnswer(output=output, requests=1, input_tokens=100, output_tokens=10)


def report_of(prompt: str) -> Any:
    words = " ".join(prompt.split("<source-text>\n", 1)[1].split()[:6])
    return {"claims": [{"text": "It begins so.", "quotes": [{"source": 1, "quote": words}]}]}


DEFAULTS: dict[str, Answers] = {
    "plan": lambda prompt: {"queries": sub_queries(QUESTION)[1:]},
    "tools": lambda prompt: [],
    "summary": lambda prompt: "A summary by the model.",
    "compress": lambda prompt: "Compressed findings of the model.",
    "think": lambda prompt: {"reflection": "The lanterns are missing.", "queries": ["lighthouse gauge"]},
    "report": report_of,
}


def run(library: Library, model: SupervisingModel, **options: Any) -> tuple[Research, str, dict[str, Any]]:
    research = Research(library, model=model)  # type: ignore[arg-type]  # doubles have no more than they need
    record = research.start(QUESTION, options=ResearchOptions(**options))
    research.run(record.research_id)
    steps = {step.name: json.loads(step.result_json) for step in research.steps(record.research_id)}
    return research, record.research_id, steps


def fail(prompt: str) -> Any:
    raise ToolUnavailable("no server")


def test_a_round_is_compressed_reflected_on_and_followed_by_the_supervisors_query(library: Library) -> None:
    """RES-9, RES-11, RES-14: findings and evidence stand apart, labelled by round and directive."""
    model = SupervisingModel()
    research, run_id, steps = run(library, model)

    assert {"notes:1:0", "model:compress:1:0:1", "coverage:1:gathered", "model:think:1", "gather:2:0"} <= set(steps)
    assert "model:think:2" not in steps, "no reflection follows the last round"
    (think,) = model.prompts["think"]
    assert "Coverage delta (round 0 → 1):" in think
    assert "[NEW]: " in think
    evidence, findings = think.index("## What evidence we have"), think.index("## What we found")
    assert evidence < think.index("### [Round 1] Evidence Inventory (directive 1:0)") < findings
    assert findings < think.index("### [Round 1] Research Findings (directive 1:0)")
    assert "Compressed findings of the model." in think
    compressed = model.prompts["compress"][0]
    assert "Novelty: " in compressed
    assert "[NEW]" in compressed
    (written,) = model.prompts["report"]
    assert "Compressed findings of the model." in written
    assert SUPPLEMENTARY in written
    report = research.report(run_id)
    assert report.failures == ()
    assert research.verify(run_id).status == "verified"
    calls = sum(map(len, model.prompts.values()))
    assert research.usage(run_id).requests == calls
    assert research.usage(run_id).input_tokens == 100 * calls


class JudgingModel(SupervisingModel):
    """A double of a judge, which keeps what it reads to rate groundedness."""

    def structured(self, prompt: str, *, instructions: str, form: Any, owners: Sequence[Any] = ()) -> ModelAnswer[Any]:
        ratings = dict.fromkeys(("comprehensiveness", "insight", "instruction_following", "readability"), 5)
        answers = {ClaimAnswer: {"is_supported": True}, RaceAnswer: ratings, GroundednessAnswer: {"score": 5}}
        if form is GroundednessAnswer:
            self.prompts["report"].append(prompt)
        return ModelAnswer(output=form.model_validate(answers[form]), requests=1, input_tokens=1, output_tokens=1)


def test_the_score_of_groundedness_reads_the_notes_of_the_run_that_may_be_read_now(library: Library) -> None:
    """RES-20: the raw notes of the journal, before compression; a purge of their source takes them away."""
    research, run_id, steps = run(library, SupervisingModel())
    note = next(one["content"] for one in steps["notes:1:0"]["messages"]["value"] if one["content"].startswith("[NEW]"))
    judge = JudgingModel()
    research.evaluate(run_id, judge=judge)  # type: ignore[arg-type]  # doubles have no more than they need
    (prompt,) = judge.prompts["report"]
    notes = prompt.partition("## Raw notes of the research")[2]
    assert note.splitlines()[0] in notes
    assert "Compressed findings" not in notes

    for document_id in {one for name in steps if name.startswith("notes:") for one in read_for(steps[name])}:
        library.maintenance.purge(document_id, confirm=document_id)
    research.evaluate(run_id, judge=judge)  # type: ignore[arg-type]  # doubles have no more than they need
    (_, again) = judge.prompts["report"]
    assert "Raw notes" not in again


def read_for(step: dict[str, Any]) -> list[str]:
    return list(step["messages"]["derived_from"])


def test_the_research_stops_where_the_supervisor_says_so_or_every_query_is_covered(library: Library) -> None:
    """RES-12."""
    done = SupervisingModel(think=lambda prompt: {"reflection": "Enough.", "queries": ["more"], "is_complete": True})
    _, _, steps = run(library, done)
    assert "gather:2:0" not in steps
    confidence = steps["coverage:1:gathered"]
    assert confidence["confidence"] < 0.75 or any(not one["sources"] for one in confidence["coverage"])
    assert set(confidence["factors"]) == {"source_adequacy", "domain_diversity", "completion_rate"}


def test_findings_that_cannot_be_compressed_are_cut_at_800_characters_and_the_notes_are_kept(library: Library) -> None:
    """RES-9, RES-13."""
    model = SupervisingModel(compress=fail)
    research, run_id, steps = run(library, model)
    told = steps["model:compress:1:0:1"]
    notes = steps["notes:1:0"]["messages"]["value"]
    assert len(told["findings"]["value"]) == 800
    assert sum(len(one["content"]) for one in notes) > 800
    assert notes[1]["content"][:50] in model.prompts["report"][0], "raw notes reach the synthesis"
    assert "model_unavailable" in {one.reason for one in research.report(run_id).failures}
    assert research.report(run_id).citations()


@pytest.mark.parametrize(
    "answer", ["<source-text>\n" * 33, "<source-text>\n" * 16 + "<source-text", "The surge was high. " * 60, ""]
)
def test_an_answer_that_repeats_itself_is_no_finding(library: Library, answer: str) -> None:
    """RES-9: small models repeat the fences of the prompt, or a sentence, until their answer is cut."""
    research, run_id, steps = run(library, SupervisingModel(compress=lambda _: answer))
    assert len(steps["model:compress:1:0:1"]["findings"]["value"]) == 800
    assert steps["model:compress:1:0:1"]["usage"]["requests"] == 1, "it is paid for all the same"
    assert "model_answer_invalid" in {one.reason for one in research.report(run_id).failures}
    assert research.verify(run_id).status == "verified"


def test_a_supervisor_that_fails_leaves_the_follow_up_of_the_extractive_mode(library: Library) -> None:
    research, run_id, steps = run(library, SupervisingModel(think=fail))
    assert steps["refine:1"]["follow_up"] is not None
    assert "gather:2:0" in steps
    assert "model_unavailable" in {one.reason for one in research.report(run_id).failures}


def test_compression_over_the_window_is_repeated_with_the_newest_messages(library: Library) -> None:
    """RES-17: cut at the boundaries of messages, oldest first; the instruction stays."""
    refused: list[str] = []

    def compress(prompt: str) -> Any:
        if not refused:
            refused.append(prompt)
            raise TokenLimitReached("too long")
        return "Compressed."

    model = SupervisingModel(compress=compress)
    research, run_id, steps = run(library, model, max_rounds=1)
    first, second = model.prompts["compress"][:2]
    assert len(second) < len(first)
    assert "Novelty: " in first
    assert "Novelty: " not in second, "the oldest message went first"
    assert second.splitlines()[0] == first.splitlines()[0]
    assert steps["model:compress:1:0:1"]["reason"] == "token_limit"
    assert not research.report(run_id).failures, "what succeeded in the end is no failure"


def test_supplementary_notes_go_first_where_the_synthesis_does_not_fit(library: Library) -> None:
    """RES-15, RES-17."""

    def report(prompt: str) -> Any:
        if SUPPLEMENTARY in prompt:
            raise TokenLimitReached("too long")
        return report_of(prompt)

    model = SupervisingModel(report=report)
    run(library, model)
    first, second = model.prompts["report"]
    assert first.startswith(second)
    assert SUPPLEMENTARY not in second


@pytest.mark.parametrize(("free", "is_there"), [(0.05, False), (0.1, False), (0.11, True), (0.9, True)])
def test_notes_are_added_where_more_than_a_tenth_of_the_window_is_free(free: float, is_there: bool) -> None:
    """RES-15."""
    notes = SynthesisNotes(raw_notes=("a first note\n" * 2_000, "a second note"))
    window = 10_000
    text = notes.supplementary_text(round(window * (1 - free)), window)
    assert text.startswith(f"\n{SUPPLEMENTARY}\n") is is_there
    assert len(text) <= window * free
    assert SynthesisNotes().supplementary_text(0, window) == ""


def test_raw_notes_have_results_and_words_of_the_model_up_to_50_000_characters() -> None:
    """RES-13: chosen by the kind of message."""
    messages = [
        NoteMessage(kind="system", content="rules"),
        NoteMessage(kind="user", content="question"),
        NoteMessage(kind="tool", content="result"),
        NoteMessage(kind="assistant", content="thought"),
    ]
    assert raw_notes(messages) == "result\nthought"
    assert len(raw_notes([NoteMessage(kind="tool", content="x" * 60_000)])) == 50_000
    assert aggregated(["old" * 10, "mid" * 10, "new" * 10], limit=60) == ["mid" * 10, "new" * 10]
    assert at_boundary("one two\nthree four", 13) == "one two"
    assert at_boundary("short", 100) == "short"


def test_messages_are_cut_whole_and_the_newest_stays() -> None:
    messages = [NoteMessage(kind="tool", content=letter * 10) for letter in "abc"]
    assert [one.content[0] for one in within(messages, 25)] == ["b", "c"]
    assert [one.content for one in within(messages, 4)] == ["cccc"]


def test_the_model_that_summarises_is_a_setting_that_defaults_to_the_one_that_compresses() -> None:
    """RES-21."""
    given: dict[str, Any] = {"model": "large", "model_url": "http://127.0.0.1:1/v1"}

    def named(**options: Any) -> tuple[str, str, str]:
        models = models_of(ResearchOptions(**given, **options))
        assert models is not None
        return models.synthesis.identity, models.compression.identity, models.summarization.identity

    assert named() == ("large", "large", "large")
    assert named(compression_model="small") == ("large", "small", "small")
    assert named(compression_model="small", summarization_model="tiny") == ("large", "small", "tiny")


def test_a_long_source_is_summarised_when_it_is_found(library: Library) -> None:
    """RES-7: the summary stands in the messages; where it fails, the passages do."""
    text = "\n\n".join(f"Paragraph {number} on harbour seals that were counted at the pier." for number in range(120))
    library.ingest(text.encode(), name="long.txt")
    model = SupervisingModel()
    run(library, model, max_rounds=1)
    assert model.prompts["summary"]
    assert "SUMMARY:\nA summary by the model." in model.prompts["compress"][0]
    broken = SupervisingModel(summary=fail)
    research, run_id, _ = run(library, broken, max_rounds=1)
    assert "SUMMARY:\n- " in broken.prompts["compress"][0]
    assert "summary" in {one.step for one in research.report(run_id).failures}


def test_a_supervised_run_that_is_killed_anywhere_ends_with_the_same_report_and_pays_for_no_call_twice(
    library: Library,
) -> None:
    class Killed(BaseException):
        pass

    whole = SupervisingModel()
    research, run_id, steps = run(library, whole)
    expected = {**research.report(run_id).to_dict(), "research_id": ""}
    calls = sum(map(len, whole.prompts.values()))
    for name in [one for one in steps if one.startswith(("model:", "notes:", "coverage:"))][::3]:
        model = SupervisingModel()

        def kill(event: str, step: str, name: str = name) -> None:
            if (event, step) == ("start", name):
                raise Killed

        first = Research(library, model=model, observer=kill)  # type: ignore[arg-type]
        record = first.start(QUESTION)
        with pytest.raises(Killed):
            first.run(record.research_id)
        again = Research(library, model=model)  # type: ignore[arg-type]
        again.run(record.research_id)
        assert {**again.report(record.research_id).to_dict(), "research_id": ""} == expected
        assert sum(map(len, model.prompts.values())) == calls
