"""Asks plugins for verdicts (`classify`, `score_quality`), one after the other until one has an opinion.

A plugin that fails, times out or violates the contract never fails the document: its attempt is recorded with the
reason, and the next one is called. The built-in verdict comes last and needs no call: the caller computes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from octavo_contracts import Attempt, ContractViolation, Model, OctavoError
from octavo_sandbox import SourceHandle

from ..builtins import BUILTIN
from ..plugins import HookCall, PluginInfo
from ..plugins.budget import TimeBudget
from .conversion_services import ConversionServices
from .states import DocumentContext

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, kw_only=True)
class Verdict(Generic[M]):
    """A plugin's verdict.

    Attributes:
        answer: the validated result.
        plugin: the plugin's name.
    """

    answer: M
    plugin: str


@dataclass(frozen=True, kw_only=True)
class VerdictCall(Generic[M]):
    """A request for verdicts.

    Attributes:
        hook: the hook.
        model: model of its result.
        arguments: builds the hook's arguments; called only if there is a plugin to call.
        source: the document, for a hook that takes it.
        check: raises `ContractViolation` for a result that the model allows but that contradicts the document.
        decides: False for an answer that contributes facts and no verdict: the next plugin is asked.
    """

    hook: Literal["classify", "score_quality"]
    model: type[M]
    arguments: Callable[[], Mapping[str, Model | str]] = dict
    source: SourceHandle | None = None
    check: Callable[[M], None]
    decides: Callable[[M], bool] = lambda answer: True


def ask_plugins(
    call: VerdictCall[M], document: DocumentContext, services: ConversionServices, attempts: list[Attempt]
) -> Verdict[M] | None:
    """Return the verdict of the first plugin that has one; None if the built-in verdict applies.

    Args:
        call: the request.
        document: the document.
        services: admits calls to plugins.
        attempts: list to which every call is appended.

    Raises:
        Cancelled: the caller cancelled.
    """
    runtime = document.runtime
    order, named_in = _order(call.hook, document)
    givers = runtime.catalogue.verdict_givers(call.hook, media_type=document.media_type, order=order)
    others = [plugin for plugin in givers if plugin.name != BUILTIN]
    if not others:
        return None
    seconds = runtime.settings.hooks.seconds
    # Separate from the document's own budget: a hanging plugin takes no time from the conversion.
    budget = TimeBudget(seconds, of=f"all plugins called for {call.hook}")
    arguments = dict(call.arguments())
    for place, plugin in enumerate(others, start=1):
        hook_call = HookCall(
            plugin=plugin,
            hook=call.hook,
            arguments=arguments,
            because=f"place {place} in {named_in}" if named_in else _because(plugin, document.media_type),
            limits=document.limits,
            budget=budget,
            options=document.runtime.profile(document.options.profile).options.get(plugin.name, {}),
            owners=services.owners,
        )
        answer = _ask(call, hook_call, document, services, attempts)
        if answer is not None and call.decides(answer):
            return Verdict(answer=answer, plugin=plugin.name)
    return None


def _ask(
    call: VerdictCall[M],
    hook_call: HookCall,
    document: DocumentContext,
    services: ConversionServices,
    attempts: list[Attempt],
) -> M | None:
    """Call a plugin; return None if it has no opinion, or if it failed and the attempt says why."""
    plugin, cancel, before = hook_call.plugin, document.options.cancel, len(attempts)
    try:
        with services.admitted(plugin, cancel):
            answer = document.runtime.dispatcher.call(
                hook_call, call.model, source=call.source, cancel=cancel, attempts=attempts
            )
        if answer is not None:
            call.check(answer)
            return answer
    except OctavoError as error:
        if error.reason is None:
            raise
        failed = {"outcome": "failed", "reason_code": error.reason, "details": error.message}
        if len(attempts) == before:  # admission refused the call
            attempts.append(_refused(hook_call, error))
        else:
            attempts[-1] = attempts[-1].model_copy(update=failed)
        return None
    attempts[-1] = attempts[-1].model_copy(update={"details": "no opinion on this document"})
    return None


def _refused(call: HookCall, error: OctavoError) -> Attempt:
    return Attempt(
        **call.plugin.identity,  # type: ignore[arg-type]  # pydantic checks it
        hook=call.hook,
        outcome="refused",
        reason_code=error.reason,
        details=error.message,
        chosen_because=call.because,
        duration_ms=0.0,
    )


def _order(hook: Literal["classify", "score_quality"], document: DocumentContext) -> tuple[Sequence[str] | None, str]:
    """Return the configured order of plugins and where it is configured; None if no order is configured."""
    profile = document.runtime.profile(document.options.profile)
    if (named := profile.hooks.get(hook)) is not None:
        return named, f"hooks.{hook} of profile {profile.name}"
    settings = document.runtime.settings.hooks
    order = settings.classify if hook == "classify" else settings.score_quality
    return order, f"hooks.{hook}" if order is not None else ""


def _because(plugin: PluginInfo, media_type: str) -> str:
    judges = media_type if plugin.manifest.media_types else "every type"
    return f"judges {judges}, priority {plugin.manifest.priority}"


def violation(hook: str, problem: str) -> ContractViolation:
    """Build the error for a result that the model allows but that contradicts the document."""
    return ContractViolation(f"{hook} returned {problem}")
