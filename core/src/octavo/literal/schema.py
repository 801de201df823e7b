"""The JSON Schema of what is wanted, read into fields.

The schema is an object's, with scalar properties. Beyond JSON Schema's own words, a property may hold `x-octavo`:

- `kind`: `date`, `amount`, `number`, `email`, `url`, `phone`, `case_number`, `citation`, `identifier`, `text`.
- `labels`: how documents name the value; the field's title and name where there are none.
- `date_order`: `dmy`, `mdy` or `ymd`, where the documents are known to write dates so.
- `pages`: look at the first so many pages only.
- `target`: kind of the target (CNV-13); `literal` by default.
- `judgement`: true where an answer has to be weighed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

from octavo_contracts import UsageError
from pydantic import BaseModel, JsonValue

from .candidates import LiteralTask
from .dates import DateOrder

EXTENSION: Final = "x-octavo"
FieldType = Literal["string", "number", "integer"]

_TYPES: Final = ("string", "number", "integer")
_ORDERS: Final = ("dmy", "mdy", "ymd")
_KIND_OF_FORMAT: Final = {"date": "date", "date-time": "date", "email": "email", "uri": "url", "url": "url"}
_NUMERIC: Final = frozenset({"amount", "number"})
MAX_FIELDS: Final = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldSpec:
    """One field that is wanted.

    Attributes:
        name: its name.
        type: the JSON type of its value.
        kind: what it is read as; see the module.
        required: whether the schema requires it.
        date_order: how three numbers of a date are to be read, or None.
        choices: the only values it may have, or empty.
        task: what the candidate rules look at.
    """

    name: str
    type: FieldType
    kind: str
    required: bool
    date_order: DateOrder | None
    choices: tuple[JsonValue, ...]
    task: LiteralTask


def read_schema(schema: Mapping[str, JsonValue]) -> tuple[FieldSpec, ...]:
    """The fields of a schema, in its order.

    Raises:
        UsageError: it is no object's schema, has no properties, or a property is not a scalar.
    """
    properties = schema.get("properties")
    if schema.get("type", "object") != "object" or not isinstance(properties, dict) or not properties:
        raise UsageError("the schema is not that of an object with properties")
    if len(properties) > MAX_FIELDS:
        raise UsageError(f"the schema has {len(properties)} fields; at most {MAX_FIELDS} are read at once")
    required = schema.get("required")
    names = set(required) if isinstance(required, list) else set()
    return tuple(_field(name, _resolved(value, schema), required=name in names) for name, value in properties.items())


def schema_of(wanted: Mapping[str, JsonValue] | type[BaseModel]) -> Mapping[str, JsonValue]:
    """The JSON Schema of a pydantic model; a schema as it is."""
    return wanted if isinstance(wanted, Mapping) else wanted.model_json_schema()


def part_of(schema: Mapping[str, JsonValue], names: set[str]) -> dict[str, JsonValue]:
    """The schema with some of its fields only."""
    properties = schema.get("properties")
    assert isinstance(properties, dict)  # `read_schema` looked
    return {**schema, "properties": {name: value for name, value in properties.items() if name in names}}


def _resolved(value: JsonValue, schema: Mapping[str, JsonValue]) -> JsonValue:
    """A property as one description: what it refers to, and the one alternative that is not null, written into it."""
    if not isinstance(value, dict):
        return value
    ref, definitions = value.get("$ref"), schema.get("$defs")
    if isinstance(ref, str) and isinstance(definitions, dict):
        found = definitions.get(ref.removeprefix("#/$defs/"))
        if isinstance(found, dict):
            return {**found, **{key: one for key, one in value.items() if key != "$ref"}}
    alternatives = value.get("anyOf")
    for one in alternatives if isinstance(alternatives, list) else []:
        if isinstance(one, dict) and one.get("type") != "null":
            rest: dict[str, JsonValue] = {key: other for key, other in value.items() if key != "anyOf"}
            return _resolved({**one, **rest}, schema)
    return value


def _field(name: str, value: JsonValue, *, required: bool) -> FieldSpec:
    if not isinstance(value, dict):
        raise UsageError(f"the field {name!r} is not described by an object")
    extra = value.get(EXTENSION, {})
    if not isinstance(extra, dict):
        raise UsageError(f"{EXTENSION} of the field {name!r} is not an object")
    kind = str(extra.get("kind") or _KIND_OF_FORMAT.get(str(value.get("format"))) or "")
    json_type = _type(name, value, kind)
    order = extra.get("date_order")
    if order is not None and order not in _ORDERS:
        raise UsageError(f"date_order of the field {name!r} is {order!r}", remedy=f"Give one of {', '.join(_ORDERS)}")
    choices = value.get("enum")
    return FieldSpec(
        name=name,
        type=json_type,
        kind=kind or ("number" if json_type != "string" else "text"),
        required=required,
        date_order=cast("DateOrder | None", order),
        choices=tuple(choices) if isinstance(choices, list) else (),
        task=LiteralTask(
            target=str(extra.get("target", "literal")),
            judgement=bool(extra.get("judgement", False)),
            wording=" ".join([_words(name), str(value.get("title", "")), str(value.get("description", ""))]),
        ),
    )


def _type(name: str, value: Mapping[str, JsonValue], kind: str) -> FieldType:
    given = value.get("type", "number" if kind in _NUMERIC else "string")
    if isinstance(given, list):
        given = next((one for one in given if one != "null"), None)
    if given not in _TYPES:
        raise UsageError(f"the field {name!r} has the type {given!r}", remedy=f"Literal values are {', '.join(_TYPES)}")
    return cast("FieldType", given)


def _words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")
