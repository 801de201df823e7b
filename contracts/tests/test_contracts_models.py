"""What every contract model promises: frozen, strict when built, tolerant when read, described."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import octavo_contracts
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from octavo_contracts import Model, PageAnchor, PageAnchorMap, Span
from pydantic import BaseModel, ValidationError

InstancesOf = Callable[[type[BaseModel]], st.SearchStrategy[Any]]

# Large models are drawn slowly; a few examples of each of the thirty are many in all.
slow = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
some_examples = settings(slow, max_examples=15)
few_examples = settings(slow, max_examples=3)


def with_unknown_fields(value: Any) -> Any:
    """The same JSON as a newer minor version might write it: one more property on every object.

    Open maps (`options`, `fields`, `extensions`, `services`, `page_confidences`, `properties`) stay as they are: their keys are data.
    """
    open_maps = {"options", "fields", "extensions", "services", "page_confidences", "properties"}
    if isinstance(value, list):
        return [with_unknown_fields(item) for item in value]
    if isinstance(value, dict):
        grown = {key: item if key in open_maps else with_unknown_fields(item) for key, item in value.items()}
        return {**grown, "field_of_a_newer_minor": {"deep": [1, None]}}
    return value


@some_examples
@given(data=st.data())
def test_json_round_trip_is_lossless(model: type[Model], instances_of: InstancesOf, data: st.DataObject) -> None:
    """What was written is read again as the same value (OC-SCHEMA)."""
    value = data.draw(instances_of(model))
    assert model.read(value.to_json()) == value


@some_examples
@given(data=st.data())
def test_reading_ignores_the_fields_of_a_newer_minor_and_never_writes_them(
    model: type[Model], instances_of: InstancesOf, data: st.DataObject
) -> None:
    """ENG-19: unknown properties are allowed to readers, at any depth, and are gone when the model is written on."""
    value = data.draw(instances_of(model))
    grown = with_unknown_fields(json.loads(value.to_json()))
    for given_as in (grown, json.dumps(grown), json.dumps(grown).encode()):
        read = model.read(given_as)
        assert read == value
        assert read.to_json() == value.to_json()


@few_examples
@given(data=st.data())
def test_building_refuses_unknown_fields(model: type[Model], instances_of: InstancesOf, data: st.DataObject) -> None:
    """A writer cannot add a field that the contract does not have."""
    value = data.draw(instances_of(model))
    arguments = {name: getattr(value, name) for name in model.model_fields}
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        model(**arguments, surprise=1)


@few_examples
@given(data=st.data())
def test_models_are_frozen(model: type[Model], instances_of: InstancesOf, data: st.DataObject) -> None:
    """No field of a built model can be set again."""
    value = data.draw(instances_of(model))
    for name in model.model_fields:
        with pytest.raises(ValidationError, match="frozen"):
            setattr(value, name, getattr(value, name))


def test_every_field_has_a_description(model: type[Model]) -> None:
    """Style rule 6: a field says what it is, with its unit, in a sentence that ends."""
    for name, field in model.model_fields.items():
        assert field.description, f"{model.__name__}.{name} is not described"
        assert field.description.endswith("."), f"the description of {model.__name__}.{name} is no sentence"


def test_every_model_says_what_it_is(model: type[Model]) -> None:
    """A model's docstring is its own, not the base's, and does more than restate its name."""
    assert model.__doc__
    assert model.__doc__ != Model.__doc__
    assert model.__doc__.strip(". ") != model.__name__


def test_every_model_is_public(model: type[Model]) -> None:
    """A host can name the type of everything it receives."""
    assert getattr(octavo_contracts, model.__name__) is model


@pytest.mark.parametrize(
    "arguments",
    [
        {"start": "1", "end": 2},
        {"start": 1.0, "end": 2},
        {"start": True, "end": 2},
        {"start": None, "end": 2},
        {"start": -1, "end": 2},
        {"end": 2},
    ],
)
def test_building_is_strict(arguments: dict[str, Any]) -> None:
    """No text, float or boolean becomes an offset."""
    with pytest.raises(ValidationError, match=r"1 validation error for Span\nstart\n"):
        Span(**arguments)


def test_reading_is_as_strict_as_building_about_types() -> None:
    """Tolerance is for names, not for values."""
    with pytest.raises(ValidationError):
        Span.read('{"start": "1", "end": 2}')
    with pytest.raises(ValidationError):
        Span.read({"start": 1})


def test_a_span_names_a_slice_of_code_points() -> None:
    """An emoji outside the basic plane counts as one."""
    assert Span(start=1, end=3).of("a🌊海z") == "🌊海"
    assert Span(start=2, end=2).of("abc") == ""


def test_a_span_does_not_end_before_it_starts() -> None:
    """A reversed span would slice to nothing without a word."""
    with pytest.raises(ValidationError, match="before its start"):
        Span(start=3, end=2)


def test_the_page_anchor_map_is_frozen_and_strict_too() -> None:
    """It is a root model, so the checks above do not reach it."""
    anchors = PageAnchorMap(())
    with pytest.raises(ValidationError, match="frozen"):
        anchors.root = ()
    with pytest.raises(ValidationError):
        PageAnchorMap.model_validate([{"page": "1"}])


def test_a_nested_model_is_read_as_tolerantly_as_its_parent() -> None:
    """Pages ↔ offsets written by a newer minor are still read inside a root model."""
    anchor = PageAnchor(page=1, text_start=0, text_end=4, markdown_start=0, markdown_end=6)
    grown = [{**json.loads(anchor.to_json()), "line_start": 1}]
    assert PageAnchorMap.model_validate_json(json.dumps(grown), extra="ignore").root == (anchor,)
