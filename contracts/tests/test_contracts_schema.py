"""The published JSON Schemas: committed as generated, true of what the models write, open to readers."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo_contracts import DigestPayload
from octavo_contracts.schema import SCHEMA_MODELS, generate_schema, load_schema, render_schema
from pydantic import BaseModel, ValidationError

InstancesOf = Callable[[type[BaseModel]], st.SearchStrategy[Any]]

each_schema = pytest.mark.parametrize("name", sorted(SCHEMA_MODELS))


def validator(name: str) -> Any:
    """A validator of the dialect that the schema names."""
    schema = load_schema(name)
    return jsonschema.validators.validator_for(schema)(schema)


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object inside a schema, itself first."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from nodes(item)


@each_schema
def test_the_committed_schema_is_the_generated_one(name: str) -> None:
    """Regenerate with `python -m octavo_contracts.schema` after a model changes, and read the difference."""
    committed = resources.files("octavo_contracts.schema").joinpath("v1", f"{name}.json").read_text(encoding="utf-8")
    assert committed == render_schema(name)
    assert load_schema(name) == generate_schema(name)


def test_no_schema_is_committed_without_a_model() -> None:
    """A renamed model leaves no stale file behind."""
    folder = resources.files("octavo_contracts.schema").joinpath("v1")
    assert {entry.name for entry in folder.iterdir()} == {f"{name}.json" for name in SCHEMA_MODELS}


@each_schema
def test_a_schema_is_valid_in_its_own_dialect(name: str) -> None:
    """`DigestPayload` is draft-07 (DIG-2), all others draft 2020-12."""
    schema = load_schema(name)
    expected = jsonschema.Draft7Validator if name == "digest_payload" else jsonschema.Draft202012Validator
    assert jsonschema.validators.validator_for(schema, default=None) is expected
    expected.check_schema(schema)
    assert schema["$id"] == f"urn:octavo:schema:v1:{name}"


@each_schema
def test_references_lead_somewhere(name: str) -> None:
    """No `$ref` of a schema dangles, in whichever place its dialect keeps definitions."""
    schema = load_schema(name)
    for node in nodes(schema):
        if "$ref" in node:
            target: Any = schema
            for step in node["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            assert isinstance(target, dict)


@each_schema
def test_schemas_allow_unknown_properties(name: str) -> None:
    """ENG-19: readers may meet the fields of a newer minor."""
    assert all(node.get("additionalProperties") is not False for node in nodes(load_schema(name)))


@each_schema
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_what_a_model_writes_fits_its_schema(name: str, instances_of: InstancesOf, data: st.DataObject) -> None:
    """The schema is true of real serialised instances, grown by a newer minor or not."""
    document = json.loads(data.draw(instances_of(SCHEMA_MODELS[name])).to_json())
    check = validator(name)
    check.validate(document)
    check.validate({**document, "field_of_a_newer_minor": 1})


@each_schema
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_a_schema_refuses_what_its_model_refuses(name: str, instances_of: InstancesOf, data: st.DataObject) -> None:
    """Each required property is missed, and a value of the wrong type is seen."""
    model = SCHEMA_MODELS[name]
    document = json.loads(data.draw(instances_of(model)).to_json())
    check = validator(name)
    required = load_schema(name)["required"]
    assert required
    for field in required:
        without = {key: value for key, value in document.items() if key != field}
        wrong = {**document, field: [None]}  # no required field takes a list that holds nothing
        for refused in (without, wrong):
            assert not check.is_valid(refused)
            with pytest.raises(ValidationError):
                model.read(refused)


def test_a_digest_has_exactly_ten_required_properties() -> None:
    """DIG-1, in the schema's own words."""
    schema = load_schema("digest_payload")
    assert schema["required"] == list(schema["properties"])
    assert len(schema["required"]) == 10
    assert set(schema["required"]) == set(DigestPayload.model_fields)


def test_the_module_writes_every_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`python -m octavo_contracts.schema FOLDER` makes the folder, writes the files and says which."""
    folder = tmp_path / "schema" / "v1"
    monkeypatch.setattr("sys.argv", ["schema", str(folder)])
    runpy.run_module("octavo_contracts.schema", run_name="__main__")
    written = {path.stem: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert written == {name: render_schema(name) for name in SCHEMA_MODELS}
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(str(path) for path in folder.iterdir())
