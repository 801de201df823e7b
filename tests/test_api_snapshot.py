"""Public names and signatures, compared with those that were committed: nothing of it changes by accident.

`OCTAVO_UPDATE=1 python -m pytest tests/test_api_snapshot.py` writes `api_snapshot.txt` anew. Read the difference: a line
that is gone or changed is a breaking change (docs/reference/stability.md), a new one wants a news fragment.
"""

from __future__ import annotations

import enum
import inspect
import os
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from octavo_contracts import Model
from pydantic import BaseModel

SNAPSHOT = Path(__file__).with_name("api_snapshot.txt")
PACKAGES = (
    "octavo",
    "octavo_contracts",
    "octavo_sandbox.egress",
    "octavo.plugins",
    "octavo_sandbox",
    "octavo_library",
    "octavo_library.facade",
    "octavo_library.storage",
    "octavo_digest",
    "octavo_brief",
    "octavo_context",
    "octavo_fields",
    "octavo_retrieval",
    "octavo_research",
    "octavo_memory",
    "octavo_mcp",
    "octavo_dashboard",
    "octavo_langchain",
)
OURS = {package.partition(".")[0] for package in PACKAGES}
UPDATE = os.environ.get("OCTAVO_UPDATE", "") not in ("", "0")


def test_the_public_api_is_the_one_that_was_committed() -> None:
    now = "".join(f"{line}\n" for package in PACKAGES for line in api(package))
    if UPDATE:
        SNAPSHOT.write_text(now, encoding="utf-8")

    committed = SNAPSHOT.read_text(encoding="utf-8").splitlines()

    gone = sorted(set(committed) - set(now.splitlines()))
    new = sorted(set(now.splitlines()) - set(committed))
    assert not gone, f"gone or changed: {gone}; new: {new}"
    assert not new, f"new: {new}"


def test_a_changed_signature_would_be_seen() -> None:
    """The snapshot has parameters, defaults, fields and members, not names alone."""
    text = SNAPSHOT.read_text(encoding="utf-8")

    for line in (
        "octavo_library.Library.ingest(self, source: SourceLike, *, name: str | None = None, ",
        "octavo_contracts.Page.markdown: str\n",
        "octavo_contracts.ExitCode.USAGE = 2\n",
        "octavo_sandbox.SandboxLimits.wall_seconds: float = 300.0\n",
        "octavo_library.storage.ArtifactStore",
    ):
        assert line in text


def test_every_public_package_lists_its_names_in_order() -> None:
    for package in PACKAGES:
        names = import_module(package).__all__
        key = [(not name.isupper(), not name[:1].isupper(), name) for name in names]
        assert key == sorted(key), package
        assert len(set(names)) == len(names), package


def api(package: str) -> Iterator[str]:
    """One line for each public name of a package, and one for each public member of its classes."""
    module = import_module(package)
    for name in sorted(module.__all__):
        item = getattr(module, name)
        if inspect.isclass(item):
            yield from _of_class(f"{package}.{name}", item)
        elif inspect.isroutine(item):
            yield f"{package}.{name}{_signature(item)}"
        elif isinstance(item, str | int | tuple) and not name.startswith("__"):
            yield f"{package}.{name} = {item!r}"
        else:
            yield f"{package}.{name}"


def _of_class(path: str, cls: type) -> Iterator[str]:
    bases = ", ".join(base.__name__ for base in cls.__bases__ if base is not object)
    yield f"class {path}({bases})"
    if issubclass(cls, enum.Enum):
        yield from (f"{path}.{member.name} = {member.value!r}" for member in cls)
        return
    if issubclass(cls, BaseModel) and cls is not Model:
        annotations = inspect.get_annotations(cls)
        for name, field in cls.model_fields.items():
            optional = "" if field.is_required() else " = …"
            yield f"{path}.{name}: {annotations.get(name, field.annotation)}{optional}"
    elif is_dataclass(cls):
        for item in fields(cls):
            if not item.name.startswith("_"):
                default = "" if item.default is MISSING else f" = {_value(item.default)}"
                yield f"{path}.{item.name}: {item.type}{default if item.default_factory is MISSING else ' = …'}"
    elif "__init__" in vars(cls):
        yield f"{path}{_signature(cls.__init__)}"
    yield from _members(path, cls)


def _members(path: str, cls: type) -> Iterator[str]:
    public = {getattr(import_module(package), name) for package in PACKAGES for name in _classes(package)}
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        # A base of its own is public or foreign; what comes from any other is this class's own to a reader.
        if base is cls or (base.__module__.partition(".")[0] in OURS and base not in public):
            found |= vars(base)
    for name, member in sorted(found.items()):
        function: Any = getattr(member, "__func__", getattr(member, "fget", getattr(member, "func", member)))
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        is_attribute = function is not member and not isinstance(member, classmethod | staticmethod)
        returned = inspect.get_annotations(function).get("return", "")
        yield f"{path}.{name}: {returned}" if is_attribute else f"{path}.{name}{_signature(function)}"


def _classes(package: str) -> list[str]:
    module = import_module(package)
    return [name for name in module.__all__ if inspect.isclass(getattr(module, name))]


def _signature(function: Any) -> str:
    """Parameters and return type, with annotations as the source has them: resolved ones print differently by Python."""
    signature = inspect.signature(function)
    parts: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        annotation = "" if parameter.annotation is parameter.empty else f": {parameter.annotation}"
        default = "" if parameter.default is parameter.empty else f" = {_value(parameter.default)}"
        parts.append(f"{stars}{parameter.name}{annotation}{default}")
    returned = "" if signature.return_annotation is signature.empty else f" -> {signature.return_annotation}"
    return f"({', '.join(parts)}){returned}"


def _value(default: Any) -> str:
    """A default as it stands in a signature; a function's own representation has an address that differs each time."""
    return str(default.__qualname__) if inspect.isroutine(default) else repr(default)
