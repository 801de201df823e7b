"""Options of a plugin: the properties of a JSON Schema in its manifest, and the validation of values against them.

A host validates options before it calls a plugin, without importing it. The keywords are those of `KEYWORDS`; a manifest
with another one is invalid, so that no rule is overlooked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from pydantic import JsonValue

KEYWORDS = frozenset(
    {"type", "enum", "minimum", "maximum", "pattern", "minLength", "maxLength", "items", "default", "description"}
)
"""The keywords of JSON Schema that an option may have."""

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
}
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


class OptionError(ValueError):
    """A value that an option does not allow, or an option that is not declared correctly. The message names it."""


def check_declared(options: Mapping[str, JsonValue]) -> None:
    """Check the options of a manifest.

    Raises:
        OptionError: a name or a rule is invalid, or a default breaks its own rules.
    """
    for name, rule in options.items():
        if not _NAME.fullmatch(name):
            raise OptionError(f"the option {name!r} must be lower case letters, digits and underscores")
        _check_rule(name, rule)
        assert isinstance(rule, dict)  # checked by `_check_rule`
        if "default" in rule:
            _check_value(name, rule["default"], rule)


def options_of(declared: Mapping[str, JsonValue], given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the options that a plugin gets: the given ones, and the defaults of the others.

    Args:
        declared: the options of the manifest: name → rule.
        given: name → value.

    Raises:
        OptionError: an option is not declared, or its value breaks its rule.
    """
    for name, value in given.items():
        rule = declared.get(name)
        if not isinstance(rule, dict):
            known = f"; it has {', '.join(sorted(declared))}" if declared else "; it has no options"
            raise OptionError(f"there is no option {name!r}{known}")
        _check_value(name, value, rule)
    defaults = {
        name: rule["default"] for name, rule in declared.items() if isinstance(rule, dict) and "default" in rule
    }
    return {**defaults, **given}


def _check_rule(name: str, rule: JsonValue) -> None:
    if not isinstance(rule, dict) or rule.get("type") not in _TYPES:
        raise OptionError(f"the option {name!r} needs a type: {', '.join(_TYPES)}")
    if unknown := sorted(set(rule) - KEYWORDS):
        raise OptionError(f"the option {name!r} has the unknown keywords {', '.join(unknown)}")
    if "items" in rule:
        _check_rule(f"{name}.items", rule["items"])
    try:
        re.compile(str(rule.get("pattern", "")))
    except re.error as error:
        raise OptionError(f"the pattern of the option {name!r} is invalid: {error}") from error
    for bound in ("minimum", "maximum", "minLength", "maxLength"):
        if bound in rule and not _is_number(rule[bound]):
            raise OptionError(f"{bound} of the option {name!r} must be a number")
    if "enum" in rule and not isinstance(rule["enum"], list):
        raise OptionError(f"enum of the option {name!r} must be a list")


def _check_value(name: str, value: JsonValue, rule: Mapping[str, JsonValue]) -> None:
    kind = str(rule["type"])
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        raise OptionError(f"the option {name!r} must be of type {kind}")
    if isinstance(value, float) and not math.isfinite(value):
        raise OptionError(f"the option {name!r} must be finite")
    allowed = rule.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        raise OptionError(f"the option {name!r} must be one of {', '.join(map(str, allowed))}")
    if _is_number(value):
        _check_bounds(name, value, rule, "minimum", "maximum")
    if isinstance(value, str):
        _check_bounds(name, len(value), rule, "minLength", "maxLength")
        if "pattern" in rule and not re.search(str(rule["pattern"]), value):
            raise OptionError(f"the option {name!r} does not match its pattern {rule['pattern']!r}")
    items = rule.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        for item in value:
            _check_value(f"{name}.items", item, items)


def _check_bounds(name: str, value: object, rule: Mapping[str, JsonValue], least: str, most: str) -> None:
    number, low, high = value, rule.get(least), rule.get(most)
    assert isinstance(number, int | float)  # both callers pass numbers
    if isinstance(low, int | float) and number < low:
        raise OptionError(f"{least} of the option {name!r} is {low}")
    if isinstance(high, int | float) and number > high:
        raise OptionError(f"{most} of the option {name!r} is {high}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
