"""Definition and registry of checks: a pure function with a stable id, a rule, a gate, and steps to repair a failure."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from octavo_contracts import Capability, HookName, PluginManifest

Scope = Literal["plugin", "golden", "fresh", "hostile", "result", "digest"]
"""The argument of a check: the plugin, the plugin and a vector, or a document from any host."""

Level = Literal[0, 1, 2, 3]
"""0: the plugin loads; 1: it answers; 2: it behaves; 3: it is correct on the golden vectors."""

F = TypeVar("F", bound=Callable[..., None])

ANY = "any"
ANY_VECTOR = "any"
GENERATED = "generated"


class Broken(Exception):
    """A plugin or document violates a rule.

    Args:
        what: the violation, as one clause.
        expected: what the rule requires.
        actual: what was found.
    """

    def __init__(self, what: str, *, expected: object, actual: object) -> None:
        super().__init__(what)
        self.what = what
        self.expected = expected
        self.actual = actual


class Unproven(Exception):
    """A plugin's answers violate no rule and show nothing of it, such as an opinion that is never given.

    Args:
        why: what is not shown, as one clause.
    """


class Inapplicable(Exception):
    """A rule does not apply to a plugin, as its answers show and its manifest does not say.

    Args:
        why: what the plugin does not do, as one clause.
    """


@dataclass(frozen=True, kw_only=True)
class Gate:
    """Selects the plugins that a check applies to, from the static manifest alone.

    Attributes:
        hook: only plugins with this hook.
        beside: only plugins with a hook beside `convert`.
        has: only plugins that declare this capability.
        lacks: only plugins that do not declare this capability: the refusal check.
        deterministic: only plugins that declare themselves deterministic.
        parallel: only plugins that declare themselves parallel.
        wraps: only plugins whose manifest names an engine's module.
        service: only plugins that offer a service of this kind; 'any': of any kind.
    """

    hook: HookName | None = None
    service: str | None = None
    beside: bool = False
    has: Capability | None = None
    lacks: Capability | None = None
    deterministic: bool = False
    parallel: bool = False
    wraps: bool = False

    @property
    def calls(self) -> bool:
        """True if a check with this gate calls a hook or a service."""
        return self.hook is not None or self.beside or self.service is not None

    def closed_by(self, manifest: PluginManifest) -> str | None:
        """Return why the check does not apply to this plugin, or None if it applies."""
        if self.hook is not None and self.hook not in manifest.hooks:
            return f"the plugin has no hook {self.hook}"
        if self.beside and not set(manifest.hooks) - {"convert"}:
            return "the plugin has no hook other than convert"
        if self.has is not None and self.has not in manifest.capabilities:
            return f"the plugin does not declare the capability {self.has.value}"
        if self.lacks is not None and self.lacks in manifest.capabilities:
            return f"the plugin declares the capability {self.lacks.value}"
        if self.deterministic and manifest.determinism != "deterministic":
            return "the plugin declares itself nondeterministic"
        if self.parallel and manifest.concurrency != "parallel":
            return "the plugin declares itself serial"
        if self.service is not None and not (
            manifest.services if self.service == ANY else self.service in manifest.services
        ):
            return "the plugin offers no service" if self.service == ANY else f"the plugin offers no {self.service}"
        if self.wraps and manifest.engine.module is None:
            return "the plugin wraps no engine"
        return None

    def __str__(self) -> str:
        parts = [
            self.hook and f"hook {self.hook}",
            self.beside and "a hook other than convert",
            self.service and ("a service" if self.service == ANY else f"the service {self.service}"),
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
        scope: the argument that it is called with.
        level: lowest level at which it runs.
        rule: the rule in one sentence.
        fix: steps to repair a failure, one per line.
        spec: ids of the requirements that it verifies.
        requires: ids of prerequisite checks; if one fails, this check is blocked.
        gate: selects the plugins that it applies to.
        since: contract version that introduced the rule.
        vectors: which vectors it uses: those with a given `Expected` field, a kind of hostile vector, or any; GENERATED if it
            makes its own from the seed of the run.
        reads: for results and digests: the text of the evidence that it needs, or None.
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
        """The middle part of the id, such as LOAD or SPAN."""
        return self.id.split("-")[1]

    @property
    def is_seeded(self) -> bool:
        """True if another seed would give other documents."""
        return self.scope == "fresh" or self.vectors == GENERATED

    def closed_by(self, manifest: PluginManifest) -> str | None:
        """Return why the check does not apply to this plugin, or None if it applies."""
        if self.scope == "result" and "convert" not in manifest.hooks:
            return "the plugin has no hook convert"
        return self.gate.closed_by(manifest)


class Registry:
    """All checks by id, in order of definition."""

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
            ValueError: its id is already used, or it requires a check that is not defined before it.
        """
        if check.id in self._checks:
            raise ValueError(f"check {check.id} is defined twice")
        if unknown := [other for other in check.requires if other not in self._checks]:
            raise ValueError(f"{check.id} requires {', '.join(unknown)}, not defined before it")
        self._checks[check.id] = check

    def needing(self, check_id: str) -> frozenset[str]:
        """Return the ids of the checks that require a check, directly or indirectly."""
        found: set[str] = set()
        for check in self:
            if check_id in check.requires or found.intersection(check.requires):
                found.add(check.id)
        return frozenset(found)


REGISTRY = Registry()
"""The checks of the suite. Importing `octavo_conformance.families` fills it."""


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

    Its docstring is the check's documentation: the first sentence is the rule, the lines below `Fix:` are repair steps.

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
        Broken: the collection is not empty.
    """
    if found:
        raise Broken(what, expected=expected, actual=found)
