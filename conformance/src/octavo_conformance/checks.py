"""What a check is: a pure function with a stable id, the rule it holds, what gates it, and how to repair a failure."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from octavo_contracts import Capability, HookName, PluginManifest

Scope = Literal["plugin", "golden", "fresh", "hostile", "result", "digest"]
"""What a check is called with: the plugin alone, the plugin and a vector, or a document that anybody made."""

Level = Literal[0, 1, 2, 3]
"""0 loads, 1 answers, 2 behaves, 3 is right on the golden vectors."""

F = TypeVar("F", bound=Callable[..., None])

ANY_VECTOR = "any"


class Broken(Exception):
    """A rule was broken.

    Args:
        what: one clause that says how.
        expected: what the rule asks for.
        actual: what was found.
    """

    def __init__(self, what: str, *, expected: object, actual: object) -> None:
        super().__init__(what)
        self.what = what
        self.expected = expected
        self.actual = actual


@dataclass(frozen=True, kw_only=True)
class Gate:
    """Which plugins a check is for; told by the static manifest alone.

    Attributes:
        hook: only plugins with this hook.
        beside: only plugins with a hook beside `convert`.
        has: only plugins that declare this capability.
        lacks: only plugins that do not declare it: the refusal check.
        deterministic: only plugins that declare to be so.
        parallel: only plugins that declare to be so.
        wraps: only plugins whose manifest names an engine's module.
    """

    hook: HookName | None = None
    beside: bool = False
    has: Capability | None = None
    lacks: Capability | None = None
    deterministic: bool = False
    parallel: bool = False
    wraps: bool = False

    @property
    def calls(self) -> bool:
        """Whether a check behind it calls a hook."""
        return self.hook is not None or self.beside

    def closed_by(self, manifest: PluginManifest) -> str | None:
        """Why the check is not for this plugin, or None where it is."""
        if self.hook is not None and self.hook not in manifest.hooks:
            return f"it has no hook {self.hook}"
        if self.beside and not set(manifest.hooks) - {"convert"}:
            return "it has no hook beside convert"
        if self.has is not None and self.has not in manifest.capabilities:
            return f"it does not declare the capability {self.has.value}"
        if self.lacks is not None and self.lacks in manifest.capabilities:
            return f"it declares the capability {self.lacks.value}"
        if self.deterministic and manifest.determinism != "deterministic":
            return "it declares to be nondeterministic"
        if self.parallel and manifest.concurrency != "parallel":
            return "it declares to be serial"
        if self.wraps and manifest.engine.module is None:
            return "it wraps no engine"
        return None

    def __str__(self) -> str:
        parts = [
            self.hook and f"hook {self.hook}",
            self.beside and "a hook beside convert",
            self.has and f"capability {self.has.value}",
            self.lacks and f"no capability {self.lacks.value}",
            self.deterministic and "declared deterministic",
            self.parallel and "declared parallel",
            self.wraps and "an engine's module in the manifest",
        ]
        return ", ".join(part for part in parts if part) or "every subject"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One rule.

    Attributes:
        id: stable, `OC-FAMILY-NNN`.
        scope: what it is called with.
        level: from which level on it runs.
        rule: the rule in one sentence.
        fix: how to repair a failure, a line a step.
        spec: the requirements it holds.
        requires: ids of checks without which it says nothing; where one fails, it is blocked.
        gate: which plugins it is for.
        since: contract version that brought the rule.
        vectors: which vectors it takes: an `Expected` field that must be filled, a kind of hostile vector, or any.
        reads: for results and digests: the text of the evidence without which it says nothing, or None.
        run: the function.
    """

    id: str
    scope: Scope
    level: Level
    rule: str
    fix: tuple[str, ...]
    spec: tuple[str, ...]
    requires: tuple[str, ...] = ()
    gate: Gate = field(default_factory=Gate)
    since: str = "1.0"
    vectors: str = ANY_VECTOR
    reads: str | None = None
    run: Callable[..., None]

    @property
    def family(self) -> str:
        """The middle of the id: LOAD, SPAN and so on."""
        return self.id.split("-")[1]

    def closed_by(self, manifest: PluginManifest) -> str | None:
        """Why the check is not for this plugin, or None where it is."""
        if self.scope == "result" and "convert" not in manifest.hooks:
            return "it has no hook convert"
        return self.gate.closed_by(manifest)


class Registry:
    """All checks by id, in the order in which they were defined."""

    def __init__(self) -> None:
        self._checks: dict[str, Check] = {}

    def __iter__(self) -> Iterator[Check]:
        return iter(self._checks.values())

    def __len__(self) -> int:
        return len(self._checks)

    def __contains__(self, check_id: object) -> bool:
        return check_id in self._checks

    def __getitem__(self, check_id: str) -> Check:
        return self._checks[check_id]

    def add(self, check: Check) -> None:
        """Add a check.

        Raises:
            ValueError: its id is taken, or it requires a check that is not defined before it.
        """
        if check.id in self._checks:
            raise ValueError(f"the check {check.id} is defined twice")
        if unknown := [other for other in check.requires if other not in self._checks]:
            raise ValueError(f"{check.id} requires {', '.join(unknown)}, not defined before it")
        self._checks[check.id] = check

    def needing(self, check_id: str) -> frozenset[str]:
        """The ids of the checks that require a check, directly or through others."""
        found: set[str] = set()
        for check in self:
            if check_id in check.requires or found.intersection(check.requires):
                found.add(check.id)
        return frozenset(found)


REGISTRY = Registry()
"""The suite. Filled by importing `octavo_conformance.families`."""


def check(
    check_id: str,
    *,
    scope: Scope,
    level: Level,
    spec: tuple[str, ...],
    requires: tuple[str, ...] = (),
    vectors: str = ANY_VECTOR,
    reads: str | None = None,
    **gate: Any,
) -> Callable[[F], F]:
    """Register a function as a check.

    Its docstring is the check's documentation: the first sentence is the rule, the lines below `Fix:` are the steps.

    Raises:
        ValueError: the docstring has no rule or no `Fix:`.
    """

    def register(function: F) -> F:
        rule, _, rest = inspect.cleandoc(function.__doc__ or "").partition("\n")
        steps = tuple(line.strip() for line in rest.partition("Fix:")[2].splitlines() if line.strip())
        if not rule or not steps:
            raise ValueError(f"{check_id}: the docstring needs a rule and a Fix: section")
        REGISTRY.add(
            Check(
                id=check_id,
                scope=scope,
                level=level,
                rule=rule,
                fix=steps,
                spec=spec,
                requires=requires,
                gate=Gate(**gate),
                vectors=vectors,
                reads=reads,
                run=function,
            )
        )
        return function

    return register


def expect_equal(actual: object, expected: object, what: str) -> None:
    """Raise unless two values are equal.

    Raises:
        Broken: they differ.
    """
    if actual != expected:
        raise Broken(what, expected=expected, actual=actual)


def expect_none(found: object, what: str, *, expected: str = "none") -> None:
    """Raise unless a collection is empty.

    Raises:
        Broken: it holds something.
    """
    if found:
        raise Broken(what, expected=expected, actual=found)
