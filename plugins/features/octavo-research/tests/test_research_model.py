"""Runs with a language model: a scripted double answers, in the process or as a server on loopback that speaks OpenAI's protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from octavo_conformance.loopback import Asked, Reply, serving
from octavo_contracts import PolicyRefused, SchemaValidationFailed, ToolUnavailable, UsageError
from octavo_digest import LlmSettings
from octavo_digest.model_client import ModelAnswer, TokenLimitReached
from octavo_digest.model_tools import ToolAnswer, ToolTurn
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_research import Research, ResearchOptions
from octavo_research.language_model import ServerModel
from octavo_research.model_synthesis import DraftReport
from octavo_research.source_tools import TOOLS

QUESTION = "How many harbour seals were counted?"
Script = Callable[[str], Any]


class ScriptedModel:
    """A double of a model: it answers what a test says, and is asked through the interface of a real one."""

    identity = "scripted-double"

    def __init__(self, script: Script) -> None:
        self.prompts: list[str] = []
        self._script = script

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def structured(self, prompt: str, *, instructions: str, form: Any, owners: Sequence[Any] = ()) -> ModelAnswer[Any]:
        self.prompts.append(prompt)
        output = form.model_validate(self._script(prompt))
        return ModelAnswer(output=output, requests=1, input_tokens=100, output_tokens=10)


def claim(text: str, *quotes: tuple[int, str]) -> dict[str, Any]:
    return {"text": text, "part": 0, "quotes": [{"source": source, "quote": quote} for source, quote in quotes]}


def first_words(prompt: str, count: int = 6) -> str:
    """The first words of the first source, as a prompt has it."""
    return " ".join(prompt.split("<source-text>\n", 1)[1].split()[:count])


def run(library: Library, script: Script, **options: Any) -> tuple[dict[str, Any], ScriptedModel, Research, str]:
    model = ScriptedModel(script)
    research = Research(library, model=model)  # type: ignore[arg-type]  # the double has no account of its own
    record = research.start(QUESTION, options=ResearchOptions(**{"supervision": False, **options}))
    research.run(record.research_id)
    return research.report(record.research_id).to_dict(), model, research, record.research_id


def claims_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for section in report["sections"] for one in section["claims"]]


def test_a_claim_has_the_places_of_its_quotations_and_every_other_claim_is_marked(library: Library) -> None:
    """RES-4: what no source says, what was never retrieved, and what has no quotation is marked, and quotes nothing."""

    def script(prompt: str) -> Any:
        words = first_words(prompt)
        return {
            "claims": [
                claim('The source “begins" so.', (1, words.replace(" ", "\n", 1))),
                claim("A whale was counted.", (1, "A whale swallowed the lighthouse whole")),
                claim("One of two is invented.", (1, words), (1, "the seals wrote a letter")),
                claim("Of a source that was not given.", (99, words)),
                claim("Without a quotation."),
            ]
        }

    report, model, research, research_id = run(library, script)
    found = claims_of(report)

    assert [one["supported"] for one in found] == [True, False, False, False, False]
    assert found[0]["text"] == "The source begins so."
    assert found[0]["citations"][0]["quote"].split() == first_words(model.prompts[0]).split()
    assert not any(one["citations"] for one in found[1:])
    assert report["model"] == "scripted-double"
    assert research.verify(research_id).status == "verified"
    told = research.report(research_id).to_markdown()
    assert told.count("“") == told.count("”") == 1
    assert "**Unsupported:** A whale was counted." in told


def test_a_killed_run_asks_the_model_no_second_time(library: Library) -> None:
    class Killed(BaseException):
        pass

    def script(prompt: str) -> Any:
        return {"claims": [claim("It begins so.", (1, first_words(prompt)))]}

    def kill(event: str, name: str) -> None:
        if (event, name) == ("start", "synthesis"):
            raise Killed

    model = ScriptedModel(script)
    first = Research(library, model=model, observer=kill)  # type: ignore[arg-type]
    record = first.start(QUESTION, options=ResearchOptions(supervision=False))
    with pytest.raises(Killed):
        first.run(record.research_id)
    again = Research(library, model=model)  # type: ignore[arg-type]
    assert again.run(record.research_id).status == "completed"
    assert len(model.prompts) == 1
    assert claims_of(again.report(record.research_id).to_dict())[0]["supported"]


def test_a_prompt_over_the_window_is_repeated_with_less(library: Library) -> None:
    """RES-17."""
    sizes: list[int] = []

    def script(prompt: str) -> Any:
        sizes.append(len(prompt))
        if len(sizes) < 3:
            raise TokenLimitReached("too long")
        return {"claims": [claim("It begins so.", (1, first_words(prompt)))]}

    report, *_ = run(library, script)
    assert len(sizes) == 3
    assert sizes[1] <= 0.9 * sizes[0]
    assert sizes[2] <= 0.9 * sizes[1]
    assert report["model"] == "scripted-double"
    assert report["failures"] == []


def test_a_ceiling_of_tokens_ends_in_the_extractive_report_that_says_so(library: Library) -> None:
    report, model, research, research_id = run(library, lambda prompt: {"claims": []}, max_tokens=100)
    assert model.prompts == []
    assert [one["reason"] for one in report["failures"]] == ["token_ceiling"]
    assert report["model"] == "none"
    assert any(one["supported"] for one in claims_of(report))
    assert research.verify(research_id).status == "verified"


def test_a_ceiling_of_money_ends_in_the_extractive_report_and_what_was_spent_adds_up(library: Library) -> None:
    """RES-6: the estimate of a call counts before it is made, the server's account afterwards."""

    def script(prompt: str) -> Any:
        return {"claims": [claim("It begins so.", (1, first_words(prompt)))]}

    priced = {"input_price": 2.0, "output_price": 10.0}
    report, model, research, run_id = run(library, script, max_usd=0.01, **priced)
    assert model.prompts == []
    assert [one["reason"] for one in report["failures"]] == ["money_ceiling"]
    assert report["model"] == "none"
    assert research.usage(run_id).usd == 0

    report, model, research, run_id = run(library, script, max_usd=1.0, **priced)
    assert report["failures"] == []
    assert research.usage(run_id).usd == pytest.approx((100 * 2.0 + 10 * 10.0) / 1_000_000)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ToolUnavailable("no server"), "model_unavailable"),
        (PolicyRefused("not this corpus"), "model_refused"),
        (TimeoutError(), "model_timeout"),
        (TokenLimitReached("too long"), "token_limit"),
        (SchemaValidationFailed("no claims"), "model_answer_invalid"),
    ],
)
def test_a_model_that_fails_costs_no_findings(library: Library, error: Exception, reason: str) -> None:
    """RES-6: the findings survive, and the report says what failed."""

    def script(prompt: str) -> Any:
        raise error

    report, *_ = run(library, script)
    assert [one["reason"] for one in report["failures"]] == [reason]
    assert any(one["supported"] for one in claims_of(report))


def test_a_model_that_writes_nothing_leaves_the_selection_of_quotations(library: Library) -> None:
    """RES-6: a refusal in the form of an empty answer."""
    report, *_ = run(library, lambda prompt: {"claims": []})
    assert [one["reason"] for one in report["failures"]] == ["model_no_claims"]
    assert any(one["supported"] for one in claims_of(report))
    assert report["model"] == "none"


def test_a_source_that_is_purged_takes_what_was_written_from_it_along(library: Library) -> None:
    _, _, research, research_id = run(
        library, lambda prompt: {"claims": [claim("Secret of the source.", (1, first_words(prompt)))]}
    )
    cited = claims_of(research.report(research_id).to_dict())[0]["citations"][0]["document_id"]
    library.maintenance.purge(cited, confirm=cited)
    report = research.report(research_id)
    assert "Secret of the source" not in report.to_markdown()
    assert "source_unavailable" in {one.reason for one in report.failures}
    assert research.verify(research_id).status == "unavailable", "nothing is left that could be verified"


@pytest.mark.parametrize(
    "given",
    [
        {"model": "m"},
        {"model_url": "http://127.0.0.1:1/v1"},
        {"max_tokens": 0},
        {"model_window": 0},
        {"model_timeout": 0},
        {"model_timeout": float("nan")},
        {"answer_tokens": 0},
        {"max_usd": 1.0},
        {"max_usd": 1.0, "input_price": 1.0},
        {"max_usd": 0.0, "input_price": 1.0, "output_price": 1.0},
        {"max_usd": float("nan"), "input_price": 1.0, "output_price": 1.0},
        {"input_price": -1.0},
        {"output_price": float("inf")},
    ],
)
def test_options_that_do_not_fit_together_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ResearchOptions(**given)


class Server:
    """An OpenAI-compatible server. It is no model: it answers what the test says."""

    def __init__(self) -> None:
        self.content: str | None = json.dumps({"claims": []})
        self.calls: list[dict[str, Any]] = []
        self.error: tuple[int, dict[str, Any]] | None = None
        self.usage: dict[str, int] | None = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        self.requests: list[dict[str, Any]] = []
        self.url = ""

    def __call__(self, asked: Asked) -> Reply:
        self.requests.append(json.loads(asked.body))
        headers = {"Content-Type": "application/json"}
        if self.error is not None:
            return Reply(status=self.error[0], body=json.dumps({"error": self.error[1]}).encode(), headers=headers)
        message = {"role": "assistant", "content": self.content, **({"tool_calls": self.calls} if self.calls else {})}
        body = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "double-1",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            **({"usage": self.usage} if self.usage is not None else {}),
        }
        return Reply(status=200, body=json.dumps(body).encode(), headers=headers)


@pytest.fixture
def server() -> Iterator[Server]:
    pytest.importorskip("pydantic_ai", reason="the extra `model` is not installed")
    pytest.importorskip("openai", reason="the extra `model` is not installed")
    double = Server()
    with serving(double) as port:
        double.url = f"http://127.0.0.1:{port}/v1"
        yield double


def test_a_server_is_asked_for_texts_and_for_structures_and_its_account_adds_up(server: Server) -> None:
    model = ServerModel(LlmSettings(model="double-1", base_url=server.url, retries=0))
    assert model.structured("question", instructions="rules", form=DraftReport).output == DraftReport(claims=[])
    server.content = "plain words"
    assert model.complete("question", instructions="rules").output == "plain words"
    assert (model.usage.requests, model.usage.input_tokens, model.usage.output_tokens) == (2, 14, 6)
    assert model.count_tokens("x" * 30) == 10
    assert server.requests[0]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}])
def test_a_server_that_counts_nothing_is_estimated(
    server: Server, library: Library, usage: dict[str, int] | None
) -> None:
    """RES-5, RES-6: the ceilings hold, and the account says that it is an estimate."""
    server.usage = usage
    research = Research(library)
    options = ResearchOptions(model="double-1", model_url=server.url, supervision=False, input_price=1, output_price=2)
    run_id = research.start("How high was the surge?", options=options).research_id
    research.run(run_id)
    used = research.usage(run_id)
    read = sum(len(message["content"]) for request in server.requests for message in request["messages"])
    assert used.estimated == used.requests == len(server.requests) == 1
    assert read / 4 < used.input_tokens < read / 2
    assert used.output_tokens > 0
    assert used.usd == pytest.approx((used.input_tokens + 2 * used.output_tokens) / 1e6)
    limited = ResearchOptions(
        model="double-1", model_url=server.url, supervision=False, max_tokens=used.input_tokens // 2
    )
    refused = research.start("How high was the surge?", options=limited).research_id
    research.run(refused)
    assert {"token_ceiling"} == {one.reason for one in research.report(refused).failures}


def test_an_answer_that_was_cut_is_paid_for_and_its_length_is_the_callers(library: Library) -> None:
    """RES-5, RES-6: what a model has written counts against the ceilings, even where it cannot be used."""
    bodies: list[dict[str, Any]] = []

    def answer(asked: Asked) -> Reply:
        bodies.append(json.loads(asked.body))
        cut = {"role": "assistant", "content": '{"claims": [{"text": "The surge was'}
        told = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "finish_reason": "length", "message": cut}],
            "usage": {"prompt_tokens": 700, "completion_tokens": 50, "total_tokens": 750},
        }
        return Reply(status=200, body=json.dumps(told).encode(), headers={"Content-Type": "application/json"})

    research = Research(library)
    with serving(answer) as port:
        options = ResearchOptions(
            model="m",
            model_url=f"http://127.0.0.1:{port}/v1",
            answer_tokens=50,
            model_timeout=5,
            supervision=False,
            input_price=1,
            output_price=2,
        )
        run_id = research.start("How high was the surge?", options=options).research_id
        research.run(run_id)
    used = research.usage(run_id)
    assert [body.get("max_completion_tokens") for body in bodies] == [50]
    assert (used.requests, used.input_tokens, used.output_tokens, used.usd) == (1, 700, 50, 0.0008)
    report = research.report(run_id)
    assert "model_answer_invalid" in {one.reason for one in report.failures}
    assert report.citations(), "the selection of quotations stands in for the claims of the model"
    assert research.verify(run_id).status == "verified"


def test_a_server_is_told_of_tools_and_of_the_results_of_their_calls(server: Server) -> None:
    """RES-4: one answer a request; arguments that are no JSON come as a value that matches no schema."""
    model = ServerModel(LlmSettings(model="double-1", base_url=server.url, retries=0))
    server.content = None
    server.calls = [
        {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query":"seals"}'}},
        {"id": "c2", "type": "function", "function": {"name": "search", "arguments": "{no json"}},
    ]
    answer = model.tools("question", instructions="rules", tools=TOOLS)
    assert [(one.call_id, one.name, one.arguments) for one in answer.output.calls] == [
        ("c1", "search", '{"query":"seals"}'),
        ("c2", "search", '{"INVALID_JSON":"{no json"}'),
    ]
    assert (answer.requests, answer.input_tokens, answer.output_tokens) == (1, 7, 3)
    server.content, server.calls = "That is all.", []
    turns = (ToolTurn(answer=answer.output, results=("one", "two")),)
    last = model.tools("question", instructions="rules", tools=TOOLS, turns=turns)
    assert last.output == ToolAnswer(text="That is all.", calls=())
    assert {one["function"]["name"] for one in server.requests[0]["tools"]} == {"search", "read"}
    told = server.requests[1]["messages"]
    assert [one["role"] for one in told] == ["system", "user", "assistant", "tool", "tool"]
    assert [one["content"] for one in told[3:]] == ["one", "two"]
    server.error = (400, {"message": "m", "code": "context_length_exceeded"})
    with pytest.raises(TokenLimitReached):
        model.tools("question", instructions="rules", tools=TOOLS)


@pytest.mark.parametrize(
    "error", [(400, {"message": "m", "code": "context_length_exceeded"}), (413, {"message": "too large"})]
)
def test_a_prompt_that_does_not_fit_is_a_typed_error(server: Server, error: tuple[int, dict[str, Any]]) -> None:
    """RES-17: told by the server's code, and never by the words of its message."""
    server.error = error
    with pytest.raises(TokenLimitReached):
        ServerModel(LlmSettings(model="double-1", base_url=server.url, retries=0)).complete("q", instructions="r")
    server.error = (400, {"message": "context_length_exceeded", "code": "other"})
    with pytest.raises(ToolUnavailable):
        ServerModel(LlmSettings(model="double-1", base_url=server.url, retries=0)).complete("q", instructions="r")


def test_a_server_elsewhere_gets_nothing_of_a_document_whose_owners_do_not_allow_it(library: Library) -> None:
    """The cloud gate: documents in no corpus stay on this machine. The question alone is its asker's to send."""
    options = ResearchOptions(model="m", model_url="https://model.invalid/v1", model_key_env="PATH")
    research = Research(library)
    record = research.start(QUESTION, options=options)
    research.run(record.research_id)
    report = research.report(record.research_id)
    reasons = {one.step: one.reason for one in report.failures}
    assert reasons.pop("model:plan") == "model_unavailable", "no host has the name model.invalid"
    assert set(reasons.values()) == {"model_refused"}
    assert report.citations()


def test_a_firewalled_corpus_sends_not_even_its_question_to_a_server_elsewhere(library: Library) -> None:
    library.corpora.create("closed", CorpusSettings(visibility="firewalled"))
    library.ingest(b"Harbour seals were counted by two wardens.\n", name="closed.txt", corpus="closed")
    options = ResearchOptions(model="m", model_url="https://model.invalid/v1", model_key_env="PATH")
    research = Research(library, corpus="closed")
    record = research.start(QUESTION, options=options)
    research.run(record.research_id)
    reasons = {one.step: one.reason for one in research.report(record.research_id).failures}
    assert reasons["model:plan"] == "model_refused"
    assert set(reasons.values()) == {"model_refused"}
