"""Plugin calls inside a worker: loads one plugin in isolation, calls one hook, validates the result.

Everything here runs inside the sandbox. A plugin's import error, a signature that does not match the specification
and a wrong return type each become a typed error with the plugin's name.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any

import octavo_contracts
import pluggy
from octavo_contracts import (
    PROJECT_NAME,
    Capability,
    ContractViolation,
    Conversion,
    ConverterCrashed,
    ConvertRequest,
    DocumentClassification,
    EntityObservation,
    EntityRequest,
    HookContext,
    Model,
    OCRRequest,
    OCRResult,
    OctavoError,
    PageImage,
    QualityAssessment,
    QualityEvidence,
    SourceView,
    ToolUnavailable,
)
from octavo_sandbox.egress import RefusingFetcher
from octavo_sandbox.worker_main import describe
from pydantic import ValidationError

from .. import hookspecs

if TYPE_CHECKING:
    from collections.abc import Mapping

ARGUMENT_MODELS: Mapping[str, Mapping[str, type[Model] | None]] = {
    "classify": {},
    "convert": {"request": ConvertRequest},
    "ocr": {"image": PageImage, "request": OCRRequest},
    "extract_entities": {"text": None, "request": EntityRequest},
    "score_quality": {"conversion": Conversion, "evidence": QualityEvidence},
}
"""Hook → its arguments besides source and context; None means plain text."""

RETURN_MODELS: Mapping[str, type[Model]] = {
    "classify": DocumentClassification,
    "convert": Conversion,
    "ocr": OCRResult,
    "extract_entities": EntityObservation,
    "score_quality": QualityAssessment,
}
"""Hook → its return type (`extract_entities`: a tuple of it)."""

MAY_BE_NONE = frozenset({"classify", "score_quality"})


def call_hook(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Call one hook of one plugin.

    Args:
        payload: JSON {"plugin", "module", "hooks", "capabilities", "hook", "arguments"}.
        source: the document, for the hooks that take one.
        context: the work folder and the deadline.

    Returns:
        JSON of the returned model; `null` for None; a JSON list for `extract_entities`.

    Raises:
        ConverterCrashed: the hook raised an exception that is not in the contract.
        ContractViolation: the hook created or returned a value that the contract does not allow.
        ToolUnavailable: the plugin cannot be imported.
    """
    task = json.loads(payload)
    name, hook = task["plugin"], task["hook"]
    manager = load(name, task["module"], tuple(task["hooks"]))
    options = task.get("options", {})
    context = replace(context, options=options)
    if Capability.NETWORK not in task.get("capabilities", ()):
        context = replace(context, fetch=None)
    elif context.fetch is None:
        context = replace(context, fetch=RefusingFetcher())
    arguments: dict[str, Any] = {"context": context}
    if hook in ("classify", "convert"):
        arguments["source"] = source
    for argument, model in ARGUMENT_MODELS[hook].items():
        value = task["arguments"][argument]
        if options and argument == "request":
            value = {**value, "options": {**options, **value.get("options", {})}}
        arguments[argument] = value if model is None else model.read(value)
    try:
        answer = getattr(manager.hook, hook)(**arguments)
    except (OctavoError, MemoryError, OSError):
        raise  # typed already, or converted by the worker, which knows its limits
    except Exception as error:  # dispatch: whatever a hook raises is that plugin's failure alone
        raise typed_error(error, hook, plugin=name, module=task["module"]) from error
    return _encode(name, hook, answer, source, arguments.get("request"))


def check_plugin(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Import a plugin and check it against the hook specifications; no document is involved.

    Args:
        payload: JSON {"plugin", "module", "hooks"}.
        source: unused.
        context: unused.

    Raises:
        ToolUnavailable, ContractViolation: see `load`.
    """
    task = json.loads(payload)
    load(task["plugin"], task["module"], tuple(task["hooks"]))
    return b"{}"


@cache
def load(name: str, module: str, hooks: tuple[str, ...]) -> pluggy.PluginManager:
    """Import a plugin's module and register it with its own plugin manager.

    Raises:
        ToolUnavailable: the module cannot be imported.
        ContractViolation: a hook's signature does not match, or the hooks differ from those of the manifest.
    """
    manager = pluggy.PluginManager(PROJECT_NAME)
    manager.add_hookspecs(hookspecs)
    try:
        plugin = importlib.import_module(module)
    except Exception as error:  # the loader: whatever a plugin's import raises is that plugin's failure alone
        raise ToolUnavailable(
            f"the plugin cannot be imported: {type(error).__name__}: {error}",
            plugin=name,
            remedy="Install its missing requirement, or report it to the plugin's author",
        ) from error
    try:
        manager.register(plugin, name=name)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise ContractViolation(
            f"a hook does not match its specification: {' '.join(str(error).split())}", plugin=name
        ) from error
    callers = manager.get_hookcallers(plugin) or []
    implemented = {caller.name for caller in callers}
    if implemented != set(hooks):
        raise ContractViolation(
            f"the manifest names the hooks {sorted(hooks)}; the module implements {sorted(implemented)}", plugin=name
        )
    for caller in callers:
        for implementation in caller.get_hookimpls():
            _check_signature(name, caller.name, implementation.function)
    return manager


def _check_signature(name: str, hook: str, function: Any) -> None:
    parameters = inspect.signature(function).parameters.values()
    odd = [p.name for p in parameters if p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if odd or inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise ContractViolation(
            f"{hook} must be a plain function of named parameters of its specification; found {inspect.signature(function)}",
            plugin=name,
        )


def _encode(name: str, hook: str, answer: Any, source: SourceView | None, request: Any) -> bytes:
    model = RETURN_MODELS[hook]
    if answer is None and hook in MAY_BE_NONE:
        return b"null"
    if hook == "extract_entities":
        if not isinstance(answer, tuple | list) or not all(isinstance(item, model) for item in answer):
            raise ContractViolation(
                f"{hook} returned {_kind(answer)}; expected a tuple of {model.__name__}", plugin=name
            )
        return b"[" + b",".join(item.model_dump_json().encode() for item in answer) + b"]"
    if not isinstance(answer, model):
        raise ContractViolation(f"{hook} returned {_kind(answer)}; expected {model.__name__}", plugin=name)
    if isinstance(answer, Conversion) and source is not None:
        from octavo_text.completion import complete

        answer = complete(answer, source=source, request=request)
    encoded: bytes = answer.model_dump_json().encode()
    return encoded


def typed_error(error: BaseException, hook: str, *, plugin: str, module: str) -> OctavoError:
    """Convert an exception of a hook: a contract violation if a contract model rejected values, else a crash."""
    where = _where(error, module)
    if isinstance(error, ValidationError) and hasattr(octavo_contracts, error.title):
        return ContractViolation(
            f"{hook} created a value that the contract does not allow: {_summary(error)}{where}", plugin=plugin
        )
    return ConverterCrashed(f"{hook} raised {describe(error)}{where}", plugin=plugin)


def _summary(error: ValidationError) -> str:
    """Format the first validation error with its location, in one line."""
    first, *others = error.errors(include_url=False, include_input=False)
    place = ".".join(map(str, (error.title, *first["loc"])))
    more = f" (and {len(others)} more)" if others else ""
    return f"{place}: {first['msg']}{more}"


def _where(error: BaseException, module: str) -> str:
    """Return the last file and line of the plugin's own code in the traceback, which its author needs."""
    top = importlib.import_module(module.partition(".")[0])
    if top.__file__ is None:
        return ""
    own = Path(top.__file__)
    folder = own.parent if hasattr(top, "__path__") else own
    paths = [(Path(frame.filename), frame.lineno) for frame in extract_tb(error.__traceback__)]
    found = [(path, line) for path, line in paths if path == own or folder in path.parents]
    return f", at {'/'.join(found[-1][0].parts[-2:])} line {found[-1][1]}" if found else ""


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
