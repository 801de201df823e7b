"""What a worker executes: load one plugin by itself, call one hook, check what came back.

Everything here runs inside the sandbox. A plugin's import error, a signature that does not fit the specification
and a wrong return type each become a typed error with the plugin's name.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pluggy
from octavo_contracts import (
    PROJECT_NAME,
    Capability,
    ContractViolation,
    Conversion,
    ConvertRequest,
    DocumentClassification,
    EntityObservation,
    EntityRequest,
    HookContext,
    Model,
    OCRRequest,
    OCRResult,
    PageImage,
    QualityAssessment,
    QualityEvidence,
    SourceView,
    ToolUnavailable,
)

from .. import hookspecs
from ..egress import RefusingFetcher

if TYPE_CHECKING:
    from collections.abc import Mapping

ARGUMENT_MODELS: Mapping[str, Mapping[str, type[Model] | None]] = {
    "classify": {},
    "convert": {"request": ConvertRequest},
    "ocr": {"image": PageImage, "request": OCRRequest},
    "extract_entities": {"text": None, "request": EntityRequest},
    "score_quality": {"conversion": Conversion, "evidence": QualityEvidence},
}
"""Hook → its arguments beside source and context; None stands for a plain text."""

RETURN_MODELS: Mapping[str, type[Model]] = {
    "classify": DocumentClassification,
    "convert": Conversion,
    "ocr": OCRResult,
    "extract_entities": EntityObservation,
    "score_quality": QualityAssessment,
}
"""Hook → what it returns (`extract_entities`: a tuple of it)."""

MAY_BE_NONE = frozenset({"classify", "score_quality"})


def call_hook(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Call one hook of one plugin.

    Args:
        payload: JSON {"plugin", "module", "hooks", "capabilities", "hook", "arguments"}.
        source: the document, for the hooks that take one.
        context: the work folder and the deadline.

    Returns:
        JSON of the returned model; `null` for None; a JSON list for `extract_entities`.
    """
    task = json.loads(payload)
    name, hook = task["plugin"], task["hook"]
    manager = load(name, task["module"], tuple(task["hooks"]))
    if Capability.NETWORK in task.get("capabilities", ()):
        context = replace(context, fetch=RefusingFetcher())
    arguments: dict[str, Any] = {"context": context}
    if hook in ("classify", "convert"):
        arguments["source"] = source
    for argument, model in ARGUMENT_MODELS[hook].items():
        value = task["arguments"][argument]
        arguments[argument] = value if model is None else model.read(value)
    answer = getattr(manager.hook, hook)(**arguments)
    return _encode(name, hook, answer, source, arguments.get("request"))


def check_plugin(payload: bytes, source: SourceView | None, context: HookContext) -> bytes:
    """Import a plugin and check it against the hook specifications; no document is touched.

    Args:
        payload: JSON {"plugin", "module", "hooks"}.
        source: not used.
        context: not used.

    Raises:
        ToolUnavailable, ContractViolation: as `load`.
    """
    task = json.loads(payload)
    load(task["plugin"], task["module"], tuple(task["hooks"]))
    return b"{}"


@cache
def load(name: str, module: str, hooks: tuple[str, ...]) -> pluggy.PluginManager:
    """Import a plugin's module and register it with a plugin manager of its own.

    Raises:
        ToolUnavailable: the module can not be imported.
        ContractViolation: a hook's signature does not fit, or the hooks are not those of the manifest.
    """
    manager = pluggy.PluginManager(PROJECT_NAME)
    manager.add_hookspecs(hookspecs)
    try:
        plugin = importlib.import_module(module)
    except Exception as error:  # the loader: whatever a plugin's import raises is that plugin's failure alone
        raise ToolUnavailable(
            f"it can not be imported: {type(error).__name__}: {error}",
            plugin=name,
            remedy="Install its missing requirement, or report it to the plugin's author",
        ) from error
    try:
        manager.register(plugin, name=name)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise ContractViolation(f"a hook does not fit its specification: {error}", plugin=name) from error
    callers = manager.get_hookcallers(plugin) or []
    implemented = {caller.name for caller in callers}
    if implemented != set(hooks):
        raise ContractViolation(
            f"its manifest names the hooks {sorted(hooks)}; its module implements {sorted(implemented)}", plugin=name
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
        from ..text.completion import complete

        answer = complete(answer, source=source, request=request)
    encoded: bytes = answer.model_dump_json().encode()
    return encoded


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
