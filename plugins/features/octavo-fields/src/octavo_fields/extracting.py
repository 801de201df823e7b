"""Extracts the fields of a schema from a text: candidates → extractors in order → verified, retried, or refused.

Each extractor is asked only for fields that earlier ones left open. A field that no extractor could ground keeps its last
value, marked as not verified (CNV-13).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from octavo_contracts import ExtractedField, LiteralExtractor, Span
from pydantic import JsonValue

from .absence import why_not
from .candidates import literal_route
from .rival_amounts import rival_amounts
from .schema import FieldSpec, part_of, read_schema
from .verifying import relaxed, verify

REFUSED = "refused"
NOT_FOUND = "none"


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field's value and its verification.

    Attributes:
        value: the value, or None.
        span: its position in the canonical text; None if it is not verified.
        verified: whether the text at `span` is the value.
        method: the extractor; `+relaxed` if its value was found at another position than it said; `none` if no extractor
            found a value; `refused` if the question is not literal and only literal extractors were available.
        confidence: the extractor's own, 0..1.
        why: why there is no value, why it is not verified, or which words of it OCR was unsure of, as text.
    """

    value: JsonValue = None
    span: Span | None = None
    verified: bool = False
    method: str = NOT_FOUND
    confidence: float = 0.0
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Extraction:
    """The result of an extraction.

    Attributes:
        fields: name → field, in the schema's order.
        failures: (field, extractor, why): every value that failed verification.
        missing: names of the required fields without a verified value.
    """

    fields: Mapping[str, Field]
    failures: tuple[tuple[str, str, str], ...] = ()
    missing: tuple[str, ...] = ()


@runtime_checkable
class GivesReasons(Protocol):
    """An extractor that says more than that it found nothing."""

    reasons: Mapping[str, str]
    """Why fields of the last call have no value."""


@dataclass(frozen=True, kw_only=True)
class Extractor:
    """An extractor with its name and abilities.

    Attributes:
        name: the value of `Field.method`.
        ask: the service.
        interprets: whether it may be asked non-literal questions, as a language model may.
    """

    name: str
    ask: LiteralExtractor
    interprets: bool = False


@dataclass(frozen=True)
class _Document:
    text: str
    pages: Sequence[Sequence[str]]


@dataclass
class _State:
    fields: dict[str, Field] = field(default_factory=dict)
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)


def extract_fields(
    text: str,
    schema: Mapping[str, JsonValue],
    extractors: Sequence[Extractor],
    *,
    pages: Sequence[Sequence[str]] = (),
) -> Extraction:
    """Extract the fields of a schema from a canonical text.

    Args:
        text: the canonical text.
        schema: see `octavo_fields.schema`.
        extractors: the extractors, in order.
        pages: the lines of each page, on which labels and amounts are compared; default: the lines of the text.

    Raises:
        UsageError: the schema cannot be read.
        OctavoError: any error of an extractor.
    """
    specs = {spec.name: spec for spec in read_schema(schema)}
    refused = {name: why for name, spec in specs.items() if (why := _refusal(spec))}
    unsupported = {name for name, spec in specs.items() if spec.unsupported}
    state = _State({name: Field(method=REFUSED, why=why) for name, why in refused.items()})
    for extractor in extractors:
        open_fields = {name for name in specs if not state.fields.get(name, Field()).verified} - unsupported
        asked = open_fields if extractor.interprets else open_fields - set(refused)
        if asked:
            answer = extractor.ask.extract(text, part_of(schema, asked))
            if isinstance(extractor.ask, GivesReasons):
                state.reasons.update(extractor.ask.reasons)
            _take(
                _Document(text, pages or [text.splitlines()]),
                extractor,
                {name: specs[name] for name in asked},
                answer,
                state,
                frozenset(refused),
            )
    fields = {
        name: state.fields.get(name) or Field(why=state.reasons.get(name) or why_not(text, spec))
        for name, spec in specs.items()
    }
    missing = tuple(name for name, spec in specs.items() if spec.required and not fields[name].verified)
    return Extraction(fields=fields, failures=tuple(state.failures), missing=missing)


def _refusal(spec: FieldSpec) -> str:
    """Say why no literal extractor may be asked for a field; empty if one may."""
    return spec.unsupported or "; ".join(literal_route(spec.task).reasons)


def _take(
    document: _Document,
    extractor: Extractor,
    asked: Mapping[str, FieldSpec],
    answer: Mapping[str, ExtractedField],
    state: _State,
    refused: frozenset[str],
) -> None:
    text = document.text
    for name, found in answer.items():
        if name not in asked or found.value is None:
            continue
        method = extractor.name
        verdict = verify(text, asked[name], found)
        if not verdict.verified and (again := relaxed(text, asked[name], found)).verified:
            verdict, method = again, f"{method}+relaxed"
        if verdict.verified and verdict.span is not None and not extractor.interprets:
            # A pattern knows an amount by its label alone; a model reads what stands around it.
            rivals = rival_amounts(document.pages, asked[name], verdict.span.of(text))
            verdict = replace(verdict, verified=not rivals, why=rivals)
        # An answer to a question of judgement may quote the text, but no span can prove that it is right.
        held = verdict.verified and name not in refused
        why = "a judgement is not verified by a span" if name in refused else verdict.why
        state.fields[name] = Field(
            value=found.value,
            span=verdict.span if held else None,
            verified=held,
            method=method,
            confidence=found.confidence,
            why=why,
        )
        if not held:
            state.failures.append((name, extractor.name, why))
