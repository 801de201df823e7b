"""Models at a server extract fields: a double on loopback, asked by the public command; runs are stored (CNV-13)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from octavo.settings.step_names import StepName
from octavo_cli import main
from octavo_conformance import loopback
from octavo_contracts import PolicyRefused
from octavo_fields import extract
from octavo_fields.model_server import ModelSettings
from octavo_library import Library
from octavo_library.entities.field_runs import field_runs

TEXT = "The vessel Sea Rose was sold on 4 March 2025 for 1,250 crowns. The buyer seemed pleased.\n"
SCHEMA = {
    "type": "object",
    "properties": {
        "ship": {"type": "string"},
        "price": {"type": "integer"},
        "sold": {"type": "string", "format": "date"},
        "mood": {"type": "string", "description": "what the tone implies"},
    },
}
Answer = Callable[[Mapping[str, Any]], str]


class ModelServerDouble:
    """A double of an OpenAI-compatible server: it keeps the questions, and gives the answer that a test sets. No model runs."""

    def __init__(self) -> None:
        self.port = 0
        self.asked: list[Mapping[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.answer: Answer = lambda question: '{"fields": []}'
        self.status = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def reply(self, asked: loopback.Asked) -> loopback.Reply:
        self.asked.append(json.loads(asked.body))
        self.headers.append(asked.headers)
        content = {"choices": [{"message": {"role": "assistant", "content": self.answer(self.asked[-1])}}]}
        return loopback.Reply(status=self.status, body=json.dumps(content).encode())


@pytest.fixture
def server() -> Iterator[ModelServerDouble]:
    double = ModelServerDouble()
    with loopback.serving(double.reply) as double.port:
        yield double


@pytest.fixture
def document(tmp_path: Path) -> str:
    (tmp_path / "sale.txt").write_text(TEXT)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    with Library.open(tmp_path / "library") as library:
        return str(library.ingest(tmp_path / "sale.txt").document_id)


@pytest.fixture
def octavo_run(capsys: pytest.CaptureFixture[str]) -> Callable[..., SimpleNamespace]:
    """Runs a command; returns its exit code and what it printed."""

    def run(*words: object) -> SimpleNamespace:
        capsys.readouterr()
        code = main([*map(str, words)])
        ended = capsys.readouterr()
        return SimpleNamespace(code=code, out=ended.out, err=ended.err)

    return run


def quoting(**fields: tuple[Any, str]) -> Answer:
    said = [{"field": name, "value": value, "quote": quote} for name, (value, quote) in fields.items()]
    return lambda question: json.dumps({"fields": said})


def test_the_command_asks_a_model_and_verifies_what_it_quotes(
    server: ModelServerDouble, document: str, tmp_path: Path, octavo_run: Callable[..., Any]
) -> None:
    """CNV-13: what the model quotes is verified; what it invents is not, and is a note of the quality report."""
    server.answer = quoting(ship=("Sea Rose", "Sea Rose"), price=(1300, "1,300"), mood=("pleased", "pleased"))
    command = ("fields", document, "--schema", tmp_path / "schema.json", "--library", tmp_path / "library", "--json")

    shown = octavo_run(*command, "--model", "small", "--model-url", server.url)

    assert shown.code == 0
    fields = json.loads(shown.out)["fields"]
    assert (fields["ship"]["verified"], fields["ship"]["method"]) == (True, "small")
    assert (fields["price"]["verified"], fields["mood"]["verified"]) == (False, False)
    [question] = server.asked
    assert (question["model"], question["temperature"]) == ("small", 0)
    assert TEXT.strip() in question["messages"][1]["content"]
    assert "authorization" not in server.headers[0]
    with Library.open(tmp_path / "library") as library:
        notes = [one for one in library.document(document).quality.findings if one.flag == "field_not_verified"]
        assert {(one.severity, one.message.split(":")[0]) for one in notes} == {
            ("note", "the field price"),
            ("note", "the field mood"),
        }
        assert library.document(document).quality.user_visible_status == "ok"


def test_a_run_is_stored_with_its_version_and_a_better_one_ends_the_note(
    server: ModelServerDouble, document: str, tmp_path: Path
) -> None:
    """CNV-13, STO-6, ENG-8: runs are files beside the version, are verified and exported with it, and are never overwritten."""
    schema = {"type": "object", "properties": {"price": {"type": "integer"}}}
    settings = ModelSettings(model="small", url=server.url)
    with Library.open(tmp_path / "library") as library:
        record = library.context.index.documents.get(document)
        server.answer = quoting(price=(1300, "1,300"))
        assert not extract(library, document, schema, model=settings).fields["price"].verified
        extract(library, document, schema, model=settings)
        assert library.context.engine.pools.use()[StepName.MODEL].entered == 2
        assert len(field_runs(library.context.artifacts, record.raw_hash, 1)) == 1
        assert "field_not_verified" in {one.flag for one in library.document(document).quality.findings}

        server.answer = quoting(price=(1250, "1,250"))
        corrected = {"type": "object", "properties": {"price": {"type": "integer", "title": "Price"}}}
        assert extract(library, document, corrected, model=settings).fields["price"].verified
        assert len(field_runs(library.context.artifacts, record.raw_hash, 1)) == 2
        assert "field_not_verified" not in {one.flag for one in library.document(document).quality.findings}
        assert library.maintenance.verify().altered == ()
        assert b"field" in library.document(document).archive()

    [folder, _] = sorted((tmp_path / "library" / "by_hash").glob("*/conversions/v1/extractions/fields-*"))
    (folder / "observations.json").write_text("{}")
    with Library.open(tmp_path / "library") as library:
        assert len(library.maintenance.verify().altered) == 1
        assert len(field_runs(library.context.artifacts, record.raw_hash, 1)) == 1


def test_nuextract_fills_its_template_and_values_are_parsed(
    server: ModelServerDouble, document: str, tmp_path: Path
) -> None:
    """CNV-13: the NuExtract route; a copied value is compared with the text like any other."""
    server.answer = lambda question: json.dumps(
        {"ship": "Sea Rose", "price": "1,250", "sold": "4 March 2025", "mood": "", "other": "x"}
    )
    schema = {**SCHEMA, "properties": {key: one for key, one in SCHEMA["properties"].items() if key != "mood"}}
    with Library.open(tmp_path / "library") as library:
        settings = ModelSettings(model="NuExtract", url=server.url, is_nuextract=True)
        found = extract(library, document, schema, model=settings)

    values = {name: (field.value, field.verified) for name, field in found.fields.items()}
    assert values == {"ship": ("Sea Rose", True), "price": (1250, True), "sold": ("2025-03-04", True)}
    [question] = server.asked
    template = json.loads(question["chat_template_kwargs"]["template"])
    assert "ship" in template
    assert set(template.values()) == {"verbatim-string"}


def test_a_model_elsewhere_needs_the_leave_of_every_corpus(document: str, tmp_path: Path) -> None:
    """CNV-15: a document of no corpus stays on this machine; the refusal is in the audit log."""
    settings = ModelSettings(model="large", url="https://models.example/v1")
    with (
        Library.open(tmp_path / "library") as library,
        pytest.raises(PolicyRefused, match="the model large was not called"),
    ):
        extract(library, document, SCHEMA, model=settings)
    audit = (tmp_path / "library" / "logs" / "audit.jsonl").read_text()
    assert "policy_refused" in audit


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--model", "small"), 2, "a model needs --model and --model-url"),
        (("--nuextract",), 2, "a model needs --model and --model-url"),
        (("--model", "small", "--model-url", "nowhere"), 2, "not the URL of a server"),
        (("--model", "large", "--model-url", "https://models.example/v1"), 5, "was not called"),
    ],
)
def test_the_command_says_what_is_wrong_with_a_model(
    options: tuple[str, ...], code: int, said: str, document: str, tmp_path: Path, octavo_run: Callable[..., Any]
) -> None:
    shown = octavo_run(
        "fields", document, "--schema", tmp_path / "schema.json", "--library", tmp_path / "library", *options
    )

    assert (shown.code, said in shown.err) == (code, True)


@pytest.mark.parametrize("answer", ["no JSON", "[]", '{"fields": [{"field": 1}]}'])
def test_an_answer_of_another_form_is_an_error(
    answer: str, server: ModelServerDouble, document: str, tmp_path: Path, octavo_run: Callable[..., Any]
) -> None:
    server.answer = lambda question: answer
    command = ("fields", document, "--schema", tmp_path / "schema.json", "--library", tmp_path / "library")

    shown = octavo_run(*command, "--model", "small", "--model-url", server.url)

    assert shown.code != 0
    assert "has another form than asked for" in shown.err
