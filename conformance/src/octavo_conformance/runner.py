"""Runs the checks on a plugin in the order of their prerequisites, and compares the outcomes with the known failures."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from octavo_contracts import OctavoError, parse_contract_version

from . import families as _families  # noqa: F401 - importing it fills the registry
from .checks import REGISTRY, Broken, Check, Inapplicable, Unproven
from .evidence import describe
from .expectations import Expectation
from .subject import Subject
from .targets import vectors_of
from .vectors import GoldenVector, HostileVector
from .vectors.fresh import SEEDS

Status = Literal["passed", "failed", "blocked", "skipped", "unproven", "xfail", "xpass"]
CONVERTS = "OC-SCHEMA-002"
"""Checks that a vector must pass before the result built from it is checked."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of one check on one vector.

    Attributes:
        check: the check.
        vector: the vector's path, or None for a check of the plugin as such.
        status: passed; failed; blocked: a prerequisite failed; skipped: the gate excludes it; unproven: the answers show
            nothing of the rule; xfail: a known failure; xpass: a known failure that passed.
        reason: the violation, what blocked it, why it was skipped, what is not shown, or why the failure is known.
        expected: what the rule requires.
        actual: what was found.
        seconds: duration.
    """

    check: Check
    vector: str | None
    status: Status
    reason: str = ""
    expected: str = ""
    actual: str = ""
    seconds: float = 0.0

    @property
    def is_bad(self) -> bool:
        """True if the outcome fails the run."""
        return self.status in ("failed", "xpass")


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Selects the checks to run, and the vectors.

    Attributes:
        level: run checks up to this level.
        families: use only vectors of these families; empty for all.
        vectors: use only these vectors; empty for all.
        checks: run only these checks and their prerequisites; empty for all.
        contract: run the checks of this contract version; None for the plugin's own.
        without: checks to leave out.
        seed: seed of the fresh documents; default: a new one for each run.
        own: the author's vectors.
        own_folder: their folder.
    """

    level: int = 2
    families: frozenset[str] = frozenset()
    vectors: frozenset[str] = frozenset()
    checks: frozenset[str] = frozenset()
    contract: str | None = None
    without: frozenset[str] = frozenset()
    seed: int = field(default_factory=lambda: secrets.randbelow(SEEDS))
    own: tuple[GoldenVector, ...] = ()
    own_folder: str | None = None

    def takes(self, path: str) -> bool:
        """True if the vector with this path is selected."""
        family = path.partition("/")[0]
        if not self.families and not self.vectors:
            return True
        return family in self.families or path in self.vectors

    def checks_for(self, contract: str) -> list[Check]:
        """Return the checks to run on a plugin for a contract version, in order."""
        minor = parse_contract_version(self.contract or contract)
        return [check for check in self._chosen() if parse_contract_version(check.since) <= minor]

    def newer_than(self, contract: str) -> list[Check]:
        """Return the checks that do not apply to a plugin for a contract version: later minors introduced them."""
        minor = parse_contract_version(self.contract or contract)
        return [check for check in self._chosen() if parse_contract_version(check.since) > minor]

    def _chosen(self) -> list[Check]:
        wanted = set(self.checks)
        for check in reversed(list(REGISTRY)):
            if check.id in wanted:
                wanted.update(check.requires)
        return [
            check
            for check in REGISTRY
            if check.level <= self.level or check.id in wanted
            if not wanted or check.id in wanted
            if check.id not in self.without and check.scope != "digest"
        ]


class Run:
    """One run of the suite over one plugin.

    Args:
        subject: the plugin.
        selection: the checks and vectors to run.
        expectations: the known failures.
    """

    def __init__(
        self, subject: Subject, selection: Selection | None = None, expectations: Sequence[Expectation] = ()
    ) -> None:
        self.subject = subject
        self.selection = selection or Selection()
        subject.seed, subject.own = self.selection.seed, self.selection.own
        self.expectations = tuple(expectations)
        self._status: dict[tuple[str, str | None], Status] = {}
        self._known: set[tuple[str, str | None]] = set()
        """Checks and vectors on which they failed as the expectations say, and those that such failures block."""

    def outcomes(self) -> list[Outcome]:
        """Run all selected checks and return their outcomes."""
        contract = self.subject.manifest.contract if self.subject.info else "1.0"
        found = [outcome for check in self.selection.checks_for(contract) for outcome in self._check(check)]
        return apply_expectations(found, self.expectations)

    def _check(self, check: Check) -> Iterator[Outcome]:
        closed = check.closed_by(self.subject.manifest) if self.subject.info else None
        if closed is not None:
            yield Outcome(check=check, vector=None, status="skipped", reason=closed)
            return
        targets = list(self._targets(check))
        if not targets:
            # A converter of another format has no level to lose. Any other hook would be called by checks without a vector.
            status: Status = "skipped" if check.gate.hook in (None, "convert") else "unproven"
            yield Outcome(
                check=check, vector=None, status=status, reason="no vector of the plugin's media types applies"
            )
        found = [self._one(check, vector) for vector in targets]
        # A plugin may have no opinion of some documents, if it shows on others that it keeps the rule.
        is_proven = any(one.status == "passed" for one in found)
        for outcome in found:
            if is_proven and outcome.status == "unproven":
                outcome = replace(outcome, status="skipped")
            self._status[check.id, outcome.vector] = outcome.status
            is_failed = outcome.status == "failed" and outcome.vector is not None
            if is_failed and any(one.covers(check.id, outcome.vector) for one in self.expectations):
                self._known.add((check.id, outcome.vector))
            yield outcome

    def _targets(self, check: Check) -> Iterator[GoldenVector | HostileVector | None]:
        if check.scope == "plugin":
            yield None
        elif self.subject.info is not None:
            selection = self.selection
            yield from vectors_of(
                check, self.subject.manifest, seed=selection.seed, takes=selection.takes, own=selection.own
            )

    def _one(self, check: Check, vector: GoldenVector | HostileVector | None) -> Outcome:
        path = vector.path if vector else None
        blocker, is_known = self._blocker(check, path)
        if blocker is not None:
            if is_known:
                self._known.add((check.id, path))
            return Outcome(check=check, vector=path, status="blocked", reason=f"{blocker} failed")
        started = time.perf_counter()
        outcome = Outcome(check=check, vector=path, status="passed")
        try:
            if check.scope == "result":
                assert isinstance(vector, GoldenVector)
                check.run(self.subject.result(vector))
            elif vector is None:
                check.run(self.subject)
            else:
                check.run(self.subject, vector)
        except Broken as broken:
            outcome = replace(
                outcome,
                status="failed",
                reason=broken.what,
                expected=shown(broken.expected),
                actual=shown(broken.actual),
            )
        except Unproven as why:
            outcome = replace(outcome, status="unproven", reason=str(why))
        except Inapplicable as why:
            outcome = replace(outcome, status="skipped", reason=str(why))
        except OctavoError as error:
            # The sandbox refused, or the plugin was removed: this is an outcome and does not end the run.
            outcome = replace(outcome, status="failed", reason="the check could not be run", actual=describe(error))
        return replace(outcome, seconds=round(time.perf_counter() - started, 3))

    def _blocker(self, check: Check, path: str | None) -> tuple[str | None, bool]:
        """Return the required check that failed, if one did, and whether that is a known failure."""
        required: list[str] = [*check.requires, *([CONVERTS] if check.scope == "result" else ())]
        found: list[tuple[str, str | None]]
        for other in required:
            if path is not None and (other, path) in self._status:
                found = [(other, path)]
            elif check.scope == "golden" and REGISTRY[other].scope in ("golden", "result"):
                found = []  # the check did not run on this vector
            elif check.scope == "fresh" and path is not None:
                golden = self._of_family(other, path.partition("/")[0])
                found = [] if any(self._status[one] == "passed" for one in golden) else golden
            else:
                # What the plugin is known not to do for one document says nothing of the others.
                found = [one for one in self._status if one[0] == other and one not in self._known]
            failed = [one for one in found if self._status[one] in ("failed", "blocked")]
            if failed:
                return other, all(one in self._known for one in failed)
        return None, False

    def _of_family(self, name: str, family: str) -> list[tuple[str, str | None]]:
        """Return a check with each golden vector of a format on which it ran."""
        return [one for one in self._status if one[0] == name and (one[1] or "").partition("/")[0] == family]


def apply_expectations(outcomes: Sequence[Outcome], expectations: Sequence[Expectation]) -> list[Outcome]:
    """Turn known failures into xfail, and known failures that passed into xpass."""
    found = list(outcomes)
    for expectation in expectations:
        covered = [i for i, one in enumerate(found) if expectation.covers(one.check.id, one.vector)]
        failed = [i for i in covered if found[i].status == "failed"]
        passed = [i for i in covered if found[i].status == "passed"]
        for index in failed:
            found[index] = replace(found[index], status="xfail", reason=f"{found[index].reason} ({expectation.reason})")
        # An entry without vectors is valid if one vector fails; with vectors, each of them has to fail.
        if expectation.vectors or not failed:
            for index in passed:
                found[index] = replace(
                    found[index],
                    status="xpass",
                    reason="the check passes, but the expectations file lists it as a known failure",
                    expected=f"a failure: {expectation.reason}",
                    actual="passed; remove the entry from the file",
                )
    return found


def shown(value: object) -> str:
    """Format a value as evidence: one line of limited length."""
    text = value if isinstance(value, str) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= 600 else f"{text[:590]} …"
