"""Reads the JSON Schema of the wanted fields.

The schema is that of an object with scalar properties; a property of another type is refused alone. In addition to JSON Schema, a property may have `x-octavo`:

- `kind`: `date`, `amount`, `number`, `email`, `url`, `phone`, `case_number`, `citation`, `identifier`, `text`.
- `labels`: labels of the value in documents; default: the field's title and name.
- `date_order`: `dmy`, `mdy` or `ymd`, if the date format of the documents is known.
- `pages`: search only this many pages at the start.
- `target`: kind of the target (CNV-13); `literal` by default.
- `judgement`: true if the answer needs a judgement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Literal, cast, get_args

from octavo_contracts import UsageError
from octavo_library.text.dates import DateOrder
from pydantic import BaseModel, JsonValue, PydanticUserError

from .candidates import LiteralTask

EXTENSION: Final = "x-octavo"
FieldType = Literal["string", "number", "integer"]

_TYPES: Final = ("string", "number", "integer")
_ORDERS: Final = get_args(DateOrder)
_KIND_OF_FORMAT: Final = {"date": "date", "date-time": "date", "email": "email", "uri": "url", "url": "url"}
_KEYS: Final = ("kind", "labels", "date_order", "pages", "target", "judgement")
_KINDS: Final = (
    "amount", "case_number", "citation", "date", "email", "identifier", "number", "phone", "text", "url",
)  # fmt: skip
_NUMERIC: Final = frozenset({"amount", "number"})
MAX_FIELDS: Final = 500
MAX_STEPS: Final = 50
"""Maximum depth of nested references and alternatives."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldSpec:
    """One wanted field.

    Attributes:
        name: its name.
        type: the JSON type of its value.
        kind: how it is parsed; see the module.
        required: whether the schema requires it.
        date_order: order of the three numbers of a date, or None.
        choices: the allowed values, or empty.
        has_kind: whether the schema says the kind, by `kind` or `format`.
        labels: what documents call it; its title and its name where the schema gives no labels.
        has_labels: whether the schema gives labels.
        pattern: the regular expression for it, or None.
        pages: the pages at the start that are searched; 0 for all.
        task: input of the candidate rules.
        unsupported: why no value of its type can be extracted, as text; empty for other fields.
    """

    name: str
    type: FieldType
    kind: str
    required: bool
    date_order: DateOrder | None
    choices: tuple[JsonValue, ...]
    has_kind: bool
    labels: tuple[str, ...]
    has_labels: bool
    pattern: str | None
    pages: int
    task: LiteralTask
    unsupported: str = ""


def read_schema(schema: Mapping[str, JsonValue]) -> tuple[FieldSpec, ...]:
    """Return the fields of a schema, in its order.

    Raises:
        UsageError: the schema is not that of an object, has no properties, or a property cannot be read.
    """
    properties = schema.get("properties")
    if schema.get("type", "object") != "object" or not isinstance(properties, dict) or not properties:
        raise UsageError("the schema is not that of an object with properties")
    if len(properties) > MAX_FIELDS:
        raise UsageError(f"the schema has {len(properties)} fields; the maximum is {MAX_FIELDS}")
    required = schema.get("required")
    names = {one for one in required if isinstance(one, str)} if isinstance(required, list) else set()
    return tuple(
        _field(name, _resolved(name, value, schema), required=name in names) for name, value in properties.items()
    )


def schema_of(wanted: Mapping[str, JsonValue] | type[BaseModel]) -> Mapping[str, JsonValue]:
    """Return the JSON Schema of a pydantic model; return a schema unchanged.

    Raises:
        UsageError: the model has no JSON Schema.
    """
    if isinstance(wanted, Mapping):
        return wanted
    try:
        return wanted.model_json_schema()
    except PydanticUserError as error:
        raise UsageError(f"the model {wanted.__name__} has no JSON Schema: {error}") from error


def part_of(schema: Mapping[str, JsonValue], names: set[str]) -> dict[str, JsonValue]:
    """Return the schema with only some of its fields."""
    properties = schema.get("properties")
    assert isinstance(properties, dict)  # checked by `read_schema`
    return {**schema, "properties": {name: value for name, value in properties.items() if name in names}}


def _resolved(name: str, value: JsonValue, schema: Mapping[str, JsonValue]) -> JsonValue:
    """Merge a property with its reference target and its only non-null alternative.

    Raises:
        UsageError: a reference is undefined or circular, or a keyword is not supported for literal values.
    """
    for _ in range(MAX_STEPS):
        if not isinstance(value, dict):
            return value
        if unknown := {"allOf", "oneOf", "not"} & value.keys():
            raise UsageError(f"field {name!r} uses {sorted(unknown)[0]}, which is not supported")
        if "$ref" in value:
            inner = _definition(name, value["$ref"], schema)
            value = {**inner, **{key: one for key, one in value.items() if key != "$ref"}}
        elif isinstance(alternatives := value.get("anyOf"), list):
            inner = next(
                (one for one in alternatives if isinstance(one, dict) and one.get("type") != "null"),
                {},
            )
            value = {**inner, **{key: one for key, one in value.items() if key != "anyOf"}}
        else:
            return value
    raise UsageError(f"references of field {name!r} are circular or more than {MAX_STEPS} levels deep")


def _definition(name: str, ref: JsonValue, schema: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the target of a property's reference."""
    for table in ("$defs", "definitions"):
        definitions = schema.get(table)
        if isinstance(ref, str) and isinstance(definitions, dict) and ref.startswith(f"#/{table}/"):
            found = definitions.get(ref.removeprefix(f"#/{table}/"))
            if isinstance(found, dict):
                return found
    raise UsageError(f"the field {name!r} refers to {ref!r}, which the schema does not define")


def _field(name: str, value: JsonValue, *, required: bool) -> FieldSpec:
    if not isinstance(value, dict):
        raise UsageError(f"the field {name!r} is not described by an object")
    extra = value.get(EXTENSION, {})
    if not isinstance(extra, dict):
        raise UsageError(f"{EXTENSION} of the field {name!r} is not an object")
    _refuse_unknown("key", extra, _KEYS, field=name)
    _refuse_unknown("kind", [extra["kind"]] if extra.get("kind") else [], _KINDS, field=name)
    kind = str(extra.get("kind") or _KIND_OF_FORMAT.get(str(value.get("format"))) or "")
    json_type = _type(value, kind)
    is_known = json_type in _TYPES
    order = extra.get("date_order")
    if order is not None and order not in _ORDERS:
        raise UsageError(f"date_order of the field {name!r} is {order!r}", remedy=f"Give one of {', '.join(_ORDERS)}")
    choices = value.get("enum")
    given, title = extra.get("labels"), value.get("title")
    labels = tuple(str(label) for label in given) if isinstance(given, list) else ()
    return FieldSpec(
        name=name,
        type=cast("FieldType", json_type) if is_known else "string",
        kind=kind or ("number" if json_type in ("number", "integer") else "text"),
        required=required,
        date_order=cast("DateOrder | None", order),
        choices=tuple(choices) if isinstance(choices, list) else (),
        has_kind=bool(kind),
        labels=labels or tuple(dict.fromkeys([*([str(title)] if title else []), _words(name).lower()])),
        has_labels=bool(labels),
        pattern=_pattern(name, value.get("pattern")),
        pages=pages if isinstance(pages := extra.get("pages"), int) else 0,
        task=LiteralTask(
            target=str(extra.get("target", "literal")),
            judgement=bool(extra.get("judgement", False)),
            wording=" ".join([_words(name), str(value.get("title", "")), str(value.get("description", ""))]),
        ),
        unsupported="" if is_known else _unsupported(json_type),
    )


def _pattern(name: str, given: JsonValue) -> str | None:
    """Return the regular expression of a field.

    Raises:
        UsageError: the pattern is no regular expression.
    """
    if not isinstance(given, str):
        return None
    try:
        re.compile(given)
    except re.error as error:
        raise UsageError(f"the pattern of the field {name!r} is no regular expression: {error}") from error
    return given


def _refuse_unknown(what: str, given: Iterable[JsonValue], known: Sequence[str], *, field: str) -> None:
    """Refuse what would be without effect.

    Raises:
        UsageError: something given is not known.
    """
    for one in given:
        if one not in known:
            close = get_close_matches(str(one), known, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise UsageError(
                f"{EXTENSION} of the field {field!r} has no {what} {one!r}{hint}",
                remedy=f"Give one of {', '.join(known)}",
            )


def _type(value: Mapping[str, JsonValue], kind: str) -> JsonValue:
    """Return the JSON type of a property, known or not; the first that is not null of several."""
    given = value.get("type", "number" if kind in _NUMERIC else "string")
    if isinstance(given, list):
        given = next((one for one in given if one != "null"), None)
    return given


def _unsupported(given: JsonValue) -> str:
    if given == "array":
        return "lists are not extracted: give one field for each value"
    return f"values of the type {given!r} are not extracted: give one of {', '.join(_TYPES)}"


def _words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")
