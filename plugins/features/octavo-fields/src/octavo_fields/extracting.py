"""From a text and a schema to fields: candidates → extractors in their order → verified, retried, or refused.

Each extractor is asked only for what the ones before it left open. What nobody could ground keeps its last value, marked
as not verified: shown, never passed off (CNV-13).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from octavo_contracts import ExtractedField, LiteralExtractor, Span
from pydantic import JsonValue

from .candidates import literal_route
from .schema import FieldSpec, part_of, read_schema
from .verifying import relaxed, verify

REFUSED = "refused"
NOT_FOUND = "none"


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field's value and what it rests on.

    Attributes:
        value: the value, or None.
        span: where in the canonical text it stands; None where it is not verified.
        verified: whether the text at `span` says it.
        method: the extractor; `+relaxed` where its value was found elsewhere than it said; `none` where nobody found
            one; `refused` where it is not a literal question and nobody but a literal extractor was there to ask.
        confidence: the extractor's own, 0..1.
        why: why it is not verified, in words.
    """

    value: JsonValue = None
    span: Span | None = None
    verified: bool = False
    method: str = NOT_FOUND
    confidence: float = 0.0
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Extraction:
    """What was extracted.

    Attributes:
        fields: name → field, in the schema's order.
        failures: (field, extractor, why): every value that was given and did not hold.
        missing: names of the required fields without a verified value.
    """

    fields: Mapping[str, Field]
    failures: tuple[tuple[str, str, str], ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Extractor:
    """Somebody to ask.

    Attributes:
        name: what `Field.method` says.
        ask: the service.
        interprets: whether it may be asked what is not literal: a language model.
    """

    name: str
    ask: LiteralExtractor
    interprets: bool = False


@dataclass
class _State:
    fields: dict[str, Field] = field(default_factory=dict)
    failures: list[tuple[str, str, str]] = field(default_factory=list)


def extract_fields(text: str, schema: Mapping[str, JsonValue], extractors: Sequence[Extractor]) -> Extraction:
    """Extract the fields of a schema from a canonical text.

    Args:
        text: the canonical text.
        schema: see `octavo_fields.schema`.
        extractors: whom to ask, the first first.

    Raises:
        UsageError: the schema cannot be read.
        OctavoError: as an extractor raised it.
    """
    specs = {spec.name: spec for spec in read_schema(schema)}
    refused = {name: route.reasons for name, spec in specs.items() if not (route := literal_route(spec.task)).literal}
    state = _State({name: Field(method=REFUSED, why="; ".join(reasons)) for name, reasons in refused.items()})
    for extractor in extractors:
        open_fields = {name for name in specs if not state.fields.get(name, Field()).verified}
        asked = open_fields if extractor.interprets else open_fields - set(refused)
        if asked:
            answer = extractor.ask.extract(text, part_of(schema, asked))
            _take(text, extractor, {name: specs[name] for name in asked}, answer, state, frozenset(refused))
    fields = {name: state.fields.get(name, Field(why="nobody found it")) for name in specs}
    missing = tuple(name for name, spec in specs.items() if spec.required and not fields[name].verified)
    return Extraction(fields=fields, failures=tuple(state.failures), missing=missing)


def _take(
    text: str,
    extractor: Extractor,
    asked: Mapping[str, FieldSpec],
    answer: Mapping[str, ExtractedField],
    state: _State,
    refused: frozenset[str],
) -> None:
    for name, found in answer.items():
        if name not in asked or found.value is None:
            continue
        method = extractor.name
        verdict = verify(text, asked[name], found)
        if not verdict.verified and (again := relaxed(text, asked[name], found)).verified:
            verdict, method = again, f"{method}+relaxed"
        # An answer to a question of judgement may quote; that it is right, no span can show.
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
