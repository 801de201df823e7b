"""Extractors in their order: accepted, found again, passed on, or refused; and a plugin's service in its sandbox (CNV-13)."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from octavo.settings.settings import Settings
from octavo_contracts import ContractViolation, ExtractedField, OctavoError, Span, ToolUnavailable, UsageError
from octavo_fields import extract, extract_fields
from octavo_fields.extracting import Extractor
from octavo_fields.schema import read_schema, schema_of
from octavo_library import Library
from pydantic import JsonValue

TEXT = "Invoice AB-12345 of 4 March 2025. Ada Quay pays Ada Quay."
SCHEMA = {
    "type": "object",
    "required": ["number", "payer"],
    "properties": {
        "number": {"type": "string"},
        "payer": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "holding": {"type": "string", "description": "what the court held"},
    },
}


class Says:
    """An extractor that answers what it was told to, and remembers what it was asked."""

    def __init__(self, **answers: tuple[Any, tuple[int, int] | None]) -> None:
        self.answers = answers
        self.asked: list[list[str]] = []

    def extract(self, text: str, schema: Mapping[str, Any]) -> Mapping[str, ExtractedField]:
        self.asked.append(list(schema["properties"]))
        return {
            name: ExtractedField(value=value, span=Span(start=span[0], end=span[1]) if span else None, method="says")
            for name, (value, span) in self.answers.items()
        }


def test_what_holds_is_accepted_and_the_rest_is_passed_on() -> None:
    first = Says(number=("AB-12345", (8, 16)), payer=("Ben Pier", (34, 42)))
    second = Says(payer=("Ada Quay", (34, 42)), date=("2025-03-04", (20, 32)), number=("never asked", None))
    done = extract_fields(TEXT, SCHEMA, [Extractor(name="one", ask=first), Extractor(name="two", ask=second)])

    assert first.asked == [["number", "payer", "date"]]
    assert second.asked == [["payer", "date"]]
    assert {name: (f.value, f.verified, f.method) for name, f in done.fields.items()} == {
        "number": ("AB-12345", True, "one"),
        "payer": ("Ada Quay", True, "two"),
        "date": ("2025-03-04", True, "two"),
        "holding": (None, False, "refused"),
    }
    assert all(f.span is not None for f in done.fields.values() if f.verified)
    assert done.failures == (("payer", "one", "the text at its span is different"),)
    assert done.missing == ()


def test_a_span_off_by_one_is_found_again_and_says_so() -> None:
    done = extract_fields(TEXT, SCHEMA, [Extractor(name="one", ask=Says(number=("AB-12345", (9, 17))))])
    number = done.fields["number"]
    assert (number.verified, number.method, number.span) == (True, "one+relaxed", Span(start=8, end=16))


def test_a_value_that_stands_twice_is_not_accepted_without_its_place() -> None:
    done = extract_fields(TEXT, SCHEMA, [Extractor(name="one", ask=Says(payer=("Ada Quay", None)))])
    payer = done.fields["payer"]
    assert (payer.value, payer.verified, payer.span) == ("Ada Quay", False, None)
    assert done.missing == ("number", "payer")
    assert done.fields["date"].why == 'the text has no label "date": give `labels`'


@pytest.mark.parametrize(
    ("given", "is_told"),
    [
        ({"type": "string"}, True),
        ({"type": "string", "x-octavo": {"labels": ["Cashier"]}}, True),
        ({"type": "string", "pattern": "[A-Z]{3}"}, False),
        ({"type": "string", "x-octavo": {"kind": "phone"}}, False),
        ({"type": "number"}, False),
    ],
)
def test_words_without_a_form_are_told_as_such(given: dict[str, JsonValue], is_told: bool) -> None:
    schema: dict[str, JsonValue] = {"type": "object", "properties": {"cashier": given}}
    done = extract_fields("Cashier: Emily Quay Register: 4", schema, [Extractor(name="one", ask=Says())])
    assert ("give a `pattern`, a `kind`" in done.fields["cashier"].why) == is_told


def test_a_model_that_invents_gets_nothing_accepted() -> None:
    invented = Says(number=("ZZ-1", (8, 12)), payer=("Ben Pier", (0, 8)), date=("2024-01-01", (20, 32)))
    done = extract_fields(TEXT, SCHEMA, [Extractor(name="model", ask=invented, interprets=True)])
    assert not any(field.verified for field in done.fields.values())
    assert [name for name, _, _ in done.failures] == ["number", "payer", "date"]


def test_a_judgement_goes_to_who_may_interpret_and_is_never_verified() -> None:
    model = Says(holding=("Ada Quay", (34, 42)))
    done = extract_fields(
        TEXT, SCHEMA, [Extractor(name="one", ask=Says()), Extractor(name="model", ask=model, interprets=True)]
    )
    assert "holding" in model.asked[0]
    holding = done.fields["holding"]
    assert (holding.value, holding.verified, holding.span, holding.method) == ("Ada Quay", False, None, "model")
    assert "judgement" in holding.why


def test_nobody_is_asked_when_nothing_is_open() -> None:
    nobody = Says()
    done = extract_fields("x", {"properties": {"scienter": {"type": "string"}}}, [Extractor(name="one", ask=nobody)])
    assert nobody.asked == []
    assert done.fields["scienter"].method == "refused"


SERVICE = """\
from octavo_contracts import ExtractedField, Span, ToolUnavailable

class Extractor:
    def extract(self, text, schema):
        if "BREAK" in text:
            raise ToolUnavailable("no weights")
        if "LIE" in text:
            return {"number": "AB-12345"}
        if "AB-12345" not in text:
            return {"number": ExtractedField(value=None, span=None, method="m")}
        at = text.index("AB-12345")
        return {"number": ExtractedField(value="AB-12345", span=Span(start=at, end=at + 8), method="m", confidence=0.5)}

def make():
    return Extractor()

def wrong():
    return object()
"""


@pytest.fixture
def library(tmp_path: Path, make_plugin: Callable[..., Path]) -> Iterator[Library]:
    for name, factory in (("reader", "make"), ("broken", "wrong"), ("lost", "nowhere")):
        make_plugin(name, SERVICE, manifest=MANIFEST.format(name=name, factory=f"octavo_{name}.plugin:{factory}"))
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as opened:
        yield opened


MANIFEST = """\
[plugin]
name = "{name}"
contract = "1.0"
description = "A plugin of the tests."
priority = 99

[plugin.engine]
licence = "Apache-2.0"

[plugin.services]
literal_extractor = "{factory}"
"""


def ingest(library: Library, folder: Path, text: str) -> str:
    path = folder / "a.txt"
    path.write_text(text, encoding="utf-8")
    return str(library.ingest(path).document_id)


def test_a_plugins_extractor_answers_from_its_sandbox(library: Library, tmp_path: Path) -> None:
    done = extract(library, ingest(library, tmp_path, "🚀 No.  AB-12345"), SCHEMA, engine="reader")
    number = done.fields["number"]
    assert (number.value, number.verified, number.method, number.confidence) == ("AB-12345", True, "reader", 0.5)
    assert number.span == Span(start=6, end=14)


@pytest.mark.parametrize(
    ("engine", "text", "error", "words"),
    [
        ("broken", "x", ContractViolation, "does not return a literal extractor"),
        ("lost", "x", ToolUnavailable, "cannot be loaded"),
        ("reader", "BREAK", ToolUnavailable, "no weights"),
        ("reader", "LIE", ContractViolation, "returned a str"),
        ("plaintext", "x", UsageError, "does not extract literal values"),
        ("nobody", "x", UsageError, "no plugin named"),
    ],
)
def test_an_extractor_that_fails_says_who_and_why(
    library: Library, tmp_path: Path, engine: str, text: str, error: type[OctavoError], words: str
) -> None:
    with pytest.raises(error, match=words):
        extract(library, ingest(library, tmp_path, text), SCHEMA, engine=engine)


def test_without_an_extractor_it_says_what_to_install(tmp_path: Path) -> None:
    from octavo.plugins import PluginSelection

    only = Settings(workers=1, plugins=PluginSelection(allow=frozenset({"plaintext"})))
    with Library.open(tmp_path / "library", settings=only) as library:
        document = ingest(library, tmp_path, TEXT)
        with pytest.raises(ToolUnavailable, match="no installed plugin extracts") as caught:
            extract(library, document, SCHEMA)
        assert "octavo-literal" in (caught.value.remedy or "")
        own = extract(library, document, SCHEMA, then=[Extractor(name="own", ask=Says(number=("AB-12345", (8, 16))))])
        assert own.fields["number"].verified
        (tmp_path / "empty.txt").write_bytes(b"")
        failed = library.ingest(tmp_path / "empty.txt")
        with pytest.raises(UsageError, match="no text to extract from"):
            extract(library, str(failed.document_id), SCHEMA)


def test_the_command_prints_what_it_promises(octavo_run: Callable[..., Any], library: Library, tmp_path: Path) -> None:
    document = ingest(library, tmp_path, TEXT)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    shown = octavo_run("extract", document, "--schema", tmp_path / "schema.json", "--engine", "reader", "--json")
    assert shown.code == 0
    fields = json.loads(shown.out)["fields"]
    assert list(fields) == ["number", "payer", "date", "holding"]
    assert fields["number"] == {
        "value": "AB-12345",
        "span": {"start": 8, "end": 16},
        "verified": True,
        "method": "reader",
        "why": "",
    }
    payer = fields["payer"]
    assert (payer["value"], payer["span"], payer["verified"], payer["method"]) == (None, None, False, "none")
    assert payer["why"].startswith('the text has no label "payer"')
    assert fields["holding"]["method"] == "refused"
    assert "holding: refused: it asks for an interpretation" in shown.err
    strict = octavo_run(
        "extract", document, "--schema", tmp_path / "schema.json", "--engine", "reader", "--fail-on", "unverified"
    )
    assert strict.code == 4
    assert "AB-12345" in strict.out


MODEL = """
from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import Enum

from pydantic import BaseModel, Field


class Kind(Enum):
    SALE = "sale"
    LEASE = "lease"


class Deed(BaseModel):
    number: str | None = Field(json_schema_extra={"x-octavo": {"kind": "identifier"}})
    signed: date | None = None
    price: Decimal | None = None
    kind: Kind | None = None
    pages: int = 1


other = 5
"""


def test_a_pydantic_model_is_as_good_as_a_schema(
    octavo_run: Callable[..., Any], library: Library, tmp_path: Path
) -> None:
    document = ingest(library, tmp_path, TEXT)
    (tmp_path / "deeds.py").write_text(MODEL)
    shown = octavo_run("extract", document, "--schema", f"{tmp_path / 'deeds.py'}:Deed", "--engine", "reader", "--json")

    assert shown.code == 0, shown.err
    fields = json.loads(shown.out)["fields"]
    assert list(fields) == ["number", "signed", "price", "kind", "pages"]
    assert fields["number"]["value"] == "AB-12345"
    assert fields["number"]["verified"]


def test_what_a_model_says_of_a_field_is_read(tmp_path: Path) -> None:
    space: dict[str, Any] = {"__name__": "deeds"}
    exec(compile(MODEL.replace("from __future__ import annotations\n", ""), "deeds", "exec"), space)

    fields = {field.name: field for field in read_schema(schema_of(space["Deed"]))}

    assert {name: (field.type, field.kind) for name, field in fields.items()} == {
        "number": ("string", "identifier"),
        "signed": ("string", "date"),
        "price": ("number", "number"),
        "kind": ("string", "text"),
        "pages": ("integer", "number"),
    }
    assert fields["kind"].choices == ("sale", "lease")
    assert [field.name for field in fields.values() if field.required] == ["number"]


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"$ref": "#/$defs/Nobody"}, "does not define"),
        ({"$ref": "#/$defs/Loop"}, "are circular"),
        ({"allOf": [{"type": "string"}]}, "allOf, which is not supported"),
        ({"oneOf": [{"type": "string"}]}, "oneOf, which is not supported"),
    ],
)
def test_a_field_that_can_not_be_read_says_so(field: dict[str, Any], said: str) -> None:
    schema = {"properties": {"x": field}, "$defs": {"Loop": {"$ref": "#/$defs/Loop"}}}
    with pytest.raises(UsageError, match=said):
        read_schema(schema)


def test_references_are_followed_to_their_end() -> None:
    schema = {
        "properties": {"x": {"$ref": "#/$defs/A"}, "y": {"$ref": "#/definitions/C"}},
        "required": [["x"], "y"],
        "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"anyOf": [{"type": "number"}, {"type": "null"}]}},
        "definitions": {"C": {"type": "integer"}},
    }
    assert [(field.type, field.required) for field in read_schema(schema)] == [("number", False), ("integer", True)]


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (MODEL, "Nobody", "no pydantic model 'Nobody'"),
        (MODEL, "other", "no pydantic model 'other'"),
        ("import nothing_of_the_kind", "Deed", "the file raises"),
        (None, "Deed", "Python file does not exist"),
    ],
)
def test_a_model_that_is_not_there_is_a_usage_error(
    octavo_run: Callable[..., Any], library: Library, tmp_path: Path, content: str | None, name: str, said: str
) -> None:
    document = ingest(library, tmp_path, TEXT)
    if content is not None:
        (tmp_path / "deeds.py").write_text(content)
    shown = octavo_run("extract", document, "--schema", f"{tmp_path / 'deeds.py'}:{name}", "--engine", "reader")

    assert shown.code == 2
    assert said in shown.err


@pytest.mark.parametrize("content", ["[]", "{", '{"type": "array"}', "[" * 100_000])
def test_a_schema_that_can_not_be_read_is_a_usage_error(
    octavo_run: Callable[..., Any], library: Library, tmp_path: Path, content: str
) -> None:
    document = ingest(library, tmp_path, TEXT)
    (tmp_path / "schema.json").write_text(content)
    assert octavo_run("extract", document, "--schema", tmp_path / "schema.json", "--engine", "reader").code == 2


@pytest.fixture
def octavo_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Runs a command on the test's library."""
    from types import SimpleNamespace

    from octavo_cli import main

    def run(*words: object) -> Any:
        capsys.readouterr()
        code = main([*map(str, words), "--library", str(tmp_path / "library")])
        ended = capsys.readouterr()
        return SimpleNamespace(code=code, out=ended.out, err=ended.err)

    return run
