"""Hypothesis strategies built from the contract models themselves, so that a new field is covered without a new test."""

from __future__ import annotations

import types
from collections.abc import Callable
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from annotated_types import Ge, Gt, Le, MaxLen, MinLen
from hypothesis import strategies as st
from octavo_contracts import (
    SERVICE_KINDS,
    BoundingBox,
    Conversion,
    DigestPayload,
    EntityObservation,
    EvidenceSnippet,
    FormatClaim,
    IngestionResult,
    Locator,
    Model,
    Page,
    PageAnchor,
    PageAnchorMap,
    PluginManifest,
    Span,
    page_separator,
)
from pydantic import BaseModel, JsonValue

Strategy = st.SearchStrategy[Any]

# JSON cannot carry lone surrogates; every other code point may stand in a text.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


def bounds(metadata: list[Any]) -> dict[str, Any]:
    """The constraints of a field as plain numbers and a pattern."""
    found: dict[str, Any] = {}
    for item in metadata:
        for kind, name, attribute in (
            (Ge, "min_value", "ge"),
            (Gt, "above", "gt"),
            (Le, "max_value", "le"),
            (MinLen, "min_size", "min_length"),
            (MaxLen, "max_size", "max_length"),
        ):
            if isinstance(item, kind):
                found[name] = getattr(item, attribute)
        if getattr(item, "pattern", None):
            found["pattern"] = item.pattern
        if hasattr(item, "metadata"):  # a FieldInfo inside Annotated
            found.update(bounds(item.metadata))
    return found


def texts(limits: dict[str, Any]) -> Strategy:
    """Texts within a field's pattern or lengths."""
    if "pattern" in limits:
        # No field takes more characters than a file's name has, whatever its pattern would let through.
        return st.from_regex(limits["pattern"].replace("$", r"\Z"), fullmatch=True).filter(
            lambda text: len(text) <= 255
        )
    size = {"min_size": limits.get("min_size", 0), "max_size": min(limits.get("max_size", 20), 20)}
    return st.text(st.characters(exclude_categories=["Cs"]), **size)


def numbers(limits: dict[str, Any]) -> Strategy:
    """Finite floats within a field's bounds."""
    low = limits.get("min_value", limits.get("above"))
    return st.floats(
        min_value=low,
        max_value=limits.get("max_value", 1e9),
        exclude_min="above" in limits,
        allow_nan=False,
        allow_infinity=False,
    )


def values(annotation: Any, limits: dict[str, Any]) -> Strategy:
    """Values of an annotation, within the bounds of its field."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is JsonValue:
        return JSON_VALUES
    if origin is Annotated:
        return values(arguments[0], {**limits, **bounds(list(arguments[1:]))})
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of(*(values(argument, limits) for argument in arguments))
    if origin is tuple:
        size = {"min_size": limits.get("min_size", 0), "max_size": min(limits.get("max_size", 3), 3)}
        return st.lists(values(arguments[0], {}), **size).map(tuple)
    if origin is dict:
        return st.dictionaries(TEXTS, values(arguments[1], {}), max_size=3)
    simple: dict[Any, Callable[[], Strategy]] = {
        type(None): st.none,
        str: lambda: texts(limits),
        bool: st.booleans,
        int: lambda: st.integers(limits.get("min_value", -(2**53)), limits.get("max_value", 2**53)),
        float: lambda: numbers(limits),
        bytes: lambda: st.binary(max_size=20),
        datetime: lambda: st.datetimes(timezones=st.just(UTC)),
    }
    if annotation in simple:
        return simple[annotation]()
    if issubclass(annotation, Enum):
        return st.sampled_from(annotation)
    assert issubclass(annotation, BaseModel), f"no strategy for {annotation}"
    return instances(annotation)


def fields_of(model: type[BaseModel], **given: Strategy) -> Strategy:
    """Keyword arguments for a model; `given` stands in for the fields that a rule ties together."""
    return st.fixed_dictionaries(
        {
            name: given[name] if name in given else values(field.annotation, bounds(field.metadata))
            for name, field in model.model_fields.items()
        }
    )


def spans() -> Strategy:
    """Ordered pairs of offsets."""
    return st.tuples(st.integers(0, 10**9), st.integers(0, 10**6)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def boxes() -> Strategy:
    """Rectangles with their sides in order."""

    def build(corner: tuple[float, float], size: tuple[float, float]) -> BoundingBox:
        right, bottom = corner[0] + size[0], corner[1] + size[1]
        return BoundingBox(left=corner[0], top=corner[1], right=right, bottom=bottom)

    side = st.floats(0, 2000, width=32)
    return st.builds(build, st.tuples(side, side), st.tuples(side, side))


def anchor_maps() -> Strategy:
    """Maps of pages whose bodies and separators have any length."""

    def build(lengths: list[tuple[int, int]]) -> PageAnchorMap:
        text = markdown = 0
        anchors = []
        for number, (characters, marks) in enumerate(lengths, start=1):
            anchors.append(
                PageAnchor(
                    page=number,
                    text_start=text,
                    text_end=text + characters,
                    markdown_start=markdown,
                    markdown_end=markdown + marks,
                )
            )
            text += characters + len(page_separator(number + 1))
            markdown += marks + 2
        return PageAnchorMap(tuple(anchors))

    return st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 5000)), max_size=4).map(build)


def conversions() -> Strategy:
    """Conversions of both kinds: with pages of their own, and whole."""

    def build(arguments: dict[str, Any]) -> Conversion:
        pages = arguments["pages"]
        if arguments["paginated"]:
            renumbered = [
                page.model_copy(update={"number": index, "kind": "page"}) for index, page in enumerate(pages, 1)
            ]
        else:
            renumbered = [pages[0].model_copy(update={"number": 1, "kind": "whole"})]
        asked = None if arguments["source_pages"] is None else tuple(range(1, len(renumbered) + 1))
        return Conversion(**{**arguments, "pages": tuple(renumbered), "source_pages": asked})

    pages = st.lists(instances(Page), min_size=1, max_size=3)
    return fields_of(Conversion, pages=pages).map(build)


def results() -> Strategy:
    """Results of the three terminal states, each with the references that its state asks for."""

    def build(arguments: dict[str, Any]) -> IngestionResult:
        if arguments["ingestion_status"] == "hard_failed":
            arguments |= dict.fromkeys(("normalized_content_ref", "canonical_text_ref", "conversion_artifact_ref"))
            arguments |= {"chunk_manifest": (), "page_anchor_map": PageAnchorMap(())}
        return IngestionResult(**arguments)

    ref = st.just("memory:sha256:" + "a" * 64)
    receipts = values(IngestionResult.model_fields["failure_receipts"].annotation, {"min_size": 1})
    return fields_of(
        IngestionResult,
        document_id=TEXTS,
        normalized_content_ref=ref,
        canonical_text_ref=ref,
        conversion_artifact_ref=ref,
        failure_receipts=receipts,
    ).map(build)


def manifests() -> Strategy:
    """Manifests that offer at least one hook and name what they read."""
    media_types = st.lists(TEXTS, min_size=1, max_size=2).map(tuple)
    hooks = st.sampled_from([("convert",), ("classify", "ocr"), ("score_quality",)])
    services = st.dictionaries(st.sampled_from(sorted(SERVICE_KINDS)), TEXTS, max_size=2)
    rules = st.sampled_from([{"type": "string", "default": "a"}, {"type": "integer", "minimum": 1}])
    options = st.dictionaries(st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True), rules, max_size=2)
    chosen = {"contract": st.sampled_from(["1.0", "1.7", "2.0"]), "services": services, "options": options}

    def build(arguments: dict[str, Any]) -> PluginManifest:
        claimed = [one.media_type for one in arguments["formats"]]
        return PluginManifest(**{**arguments, "media_types": (*arguments["media_types"], *claimed)})

    return fields_of(PluginManifest, media_types=media_types, hooks=hooks, **chosen).map(build)


def format_claims() -> Strategy:
    """Claims of every family, with its signature or with extensions alone."""
    signatures: tuple[dict[str, Any], ...] = (
        {"within": "xml", "root": "{urn:tides}tides"},
        {"within": "json", "keys": ("tides", "surges")},
        {"within": "zip", "members": ("tides/*.xml",)},
        {"within": "ole", "streams": ("Tides",)},
        {"within": "binary", "magic": "54494445", "offset": 4},
        {"within": "text", "extensions": (".tides",)},
    )
    media_types = st.from_regex(r"application/x-[a-z]{1,8}", fullmatch=True)
    return st.builds(
        lambda media_type, signature: FormatClaim(media_type=media_type, **signature),
        media_types,
        st.sampled_from(signatures),
    )


@cache
def instances(model: type[BaseModel]) -> Strategy:
    """Valid instances of a contract model."""
    special: dict[type[BaseModel], Callable[[], Strategy]] = {
        BoundingBox: boxes,
        Conversion: conversions,
        DigestPayload: lambda: fields_of(
            DigestPayload,
            # The texts stay short; the limits themselves are tested in test_contracts_digest.
            query_hash=st.from_regex(r"[a-f0-9]{8}", fullmatch=True),
        ).map(lambda arguments: DigestPayload(**arguments)),
        EntityObservation: lambda: fields_of(EntityObservation, end=st.none()).map(
            lambda arguments: EntityObservation(**{**arguments, "end": arguments["start"] + len(arguments["text"])})
        ),
        EvidenceSnippet: lambda: fields_of(EvidenceSnippet, locator=instances(Locator).map(str)).map(
            lambda arguments: EvidenceSnippet(**arguments)
        ),
        FormatClaim: format_claims,
        IngestionResult: results,
        Locator: lambda: st.builds(
            lambda page, span: Locator(page=page, start=span[0], end=span[1]),
            st.none() | st.integers(1, 10_000),
            spans(),
        ),
        PageAnchorMap: anchor_maps,
        PluginManifest: manifests,
        Span: lambda: spans().map(lambda pair: Span(start=pair[0], end=pair[1])),
    }
    if model in special:
        return special[model]()
    return fields_of(model).map(lambda arguments: model(**arguments))


def _all_models(base: type[Model]) -> list[type[Model]]:
    found: list[type[Model]] = []
    for model in base.__subclasses__():
        if model.__module__.startswith("octavo_contracts."):
            found += [model, *_all_models(model)]
    return found


CONTRACT_MODELS = sorted(_all_models(Model), key=lambda model: model.__name__)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `model` once for every contract model."""
    if "model" in metafunc.fixturenames:
        metafunc.parametrize("model", CONTRACT_MODELS, ids=lambda model: model.__name__)


@pytest.fixture(scope="session")
def instances_of() -> Callable[[type[BaseModel]], Strategy]:
    """The strategy for the instances of a model."""
    return instances
