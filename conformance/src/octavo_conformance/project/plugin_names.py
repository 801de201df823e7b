"""The name of a new plugin, and the names that follow from it."""

from __future__ import annotations

from octavo_contracts import PluginName, UsageError
from pydantic import TypeAdapter, ValidationError


def check_name(name: str) -> None:
    """Check the name of a plugin.

    Raises:
        UsageError: it is not a plugin name.
    """
    try:
        TypeAdapter(PluginName).validate_python(name)
    except ValidationError as error:
        raise UsageError(
            f"{name!r} is not a plugin name", remedy="Use lower-case words joined by '-', such as my-format"
        ) from error


def module_name(name: str) -> str:
    """Return a plugin's name as part of a module's name."""
    return name.replace("-", "_")


def class_name(name: str) -> str:
    """Return a plugin's name as part of a class's name."""
    return "".join(part.capitalize() for part in name.split("-"))
