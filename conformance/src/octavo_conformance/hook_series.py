"""A series of calls of a hook in one worker, whose answers several checks judge.

The first call is made by a new process, which may load a model. Calls with other inputs follow, and then one more call with
the first inputs. One series shows whether processes agree, whether later answers are those of the beginning, how much memory
a call takes in a warm worker, and whether the worker grows. Recognisers are slow: their other inputs are the fresh pages
that the checks of `ocr` judge.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from octavo_contracts import HookName

from .evidence import Facts, Observed, growth_mb
from .hook_inputs import Arguments, inputs, other_inputs
from .originals import AnyVector
from .subject import Subject


@dataclass(frozen=True, kw_only=True)
class Series:
    """The calls of one series.

    Attributes:
        first: the first call, in a new process.
        between: the calls with other inputs, in the order of `other_inputs`, which are used again if there are more calls.
        last: the call with the inputs of the first, in the warm worker.
        different: number of other inputs.
    """

    first: Observed
    between: tuple[Observed, ...]
    last: Observed
    different: int

    @property
    def repeated(self) -> list[tuple[Observed, Observed]]:
        """The first call with each input, and each later one with the same."""
        firsts = self.between[: self.different]
        later = enumerate(self.between[self.different :])
        return [(self.first, self.last), *((firsts[place % self.different], seen) for place, seen in later)]

    @property
    def facts(self) -> list[Facts]:
        """The side effects of the calls that were observed, in order."""
        return [one.facts for one in (self.first, *self.between, self.last) if one.facts is not None]

    @property
    def used_mb(self) -> float:
        """Peak memory that the last call adds to the worker's, MiB; 0 if it cannot be measured."""
        before = self.between[-1].facts
        base = before.resident_mb if before else 0.0
        return self.last.peak_rss_mb - base if base else 0.0

    @property
    def growth_mb(self) -> float:
        """Growth of the memory in use in the second half of the calls, MiB."""
        return growth_mb(self.facts)


_MADE: WeakKeyDictionary[Subject, dict[HookName, Series]] = WeakKeyDictionary()
"""The series of calls of each subject so far."""


def series_of(subject: Subject, hook: HookName) -> Series:
    """Return the series of a hook; the first use makes the calls."""
    made = _MADE.setdefault(subject, {})
    if hook not in made:
        made[hook] = make_series(subject, hook)
    return made[hook]


def make_series(subject: Subject, hook: HookName) -> Series:
    """Call a hook repeatedly in the second pool's worker; a quick one is called more often, so that a small leak shows too."""
    arguments, vector = next((given, document) for name, given, document in inputs(subject) if name == hook)
    others, budget = other_inputs(subject, hook), subject.budget

    def call(given: Arguments, document: AnyVector | None) -> Observed:
        return subject.call(hook, given, vector=document, pool=subject.second_pool)

    first = call(arguments, vector)
    between: list[Observed] = []
    until = time.monotonic() + budget.repeat_seconds
    while len(between) < budget.repeats - 2 or (len(between) < budget.most_repeats and time.monotonic() < until):
        between.append(call(*others[len(between) % len(others)]))
    return Series(first=first, between=tuple(between), last=call(arguments, vector), different=len(others))
