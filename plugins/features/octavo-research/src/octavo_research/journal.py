"""The journal of a run: each step is executed once, and its result is committed before the next one begins (RES-2)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any, Protocol

from octavo_contracts import OctavoError
from octavo_library.storage import DERIVED_FROM, ResearchRepository, ResearchStep

StepObserver = Callable[[str, str], None]
"""Called with `start` and a step's name before it is executed, and with `end` after it is committed."""


class RunStopped(OctavoError):
    """The run was cancelled, or another process executes it: this process commits nothing more."""


class StepJournal(Protocol):
    """The finished steps of a run, and the way to add one."""

    def step(self, phase: str, name: str, work: Callable[[], Any]) -> Any:
        """The result of a step: that of an earlier execution, else that of `work`, as JSON holds it."""


class MemoryJournal:
    """A journal that is stored nowhere. Safe for many threads that execute different steps."""

    def __init__(self) -> None:
        self.results: dict[str, Any] = {}

    def step(self, phase: str, name: str, work: Callable[[], Any]) -> Any:
        """The result of a step."""
        if name not in self.results:
            self.results[name] = json.loads(json.dumps(work(), sort_keys=True, ensure_ascii=False))
        return self.results[name]


class Journal:
    """The finished steps of a run, and the way to add one. Safe for many threads.

    Args:
        repository: the research runs of the library.
        research_id: the run.
        owner: this process, which executes the run.
        observer: is told of each step that is really executed.
    """

    def __init__(
        self, repository: ResearchRepository, research_id: str, *, owner: str, observer: StepObserver | None = None
    ) -> None:
        self._repository = repository
        self._research_id = research_id
        self._owner = owner
        self._observer = observer or (lambda event, name: None)
        self._results = results_of(repository.steps(research_id))
        self._lock = threading.Lock()

    def step(self, phase: str, name: str, work: Callable[[], Any]) -> Any:
        """The result of a step: the committed one, else that of `work`, which is committed.

        Args:
            phase: the phase of the workflow.
            name: the step's name, unique in the run.
            work: returns a value that JSON can hold. It names places in documents; a text that was derived from documents is wrapped by
                `derived`, so that a purge deletes it.

        Raises:
            RunStopped: the run was cancelled, or another process executes it.
        """
        with self._lock:
            if name in self._results:
                return self._results[name]
        self._observer("start", name)
        written = json.dumps(work(), sort_keys=True, ensure_ascii=False)
        if not self._repository.commit_step(
            self._research_id, owner=self._owner, name=name, phase=phase, result_json=written
        ):
            raise RunStopped(f"the research run {self._research_id} was cancelled, or another process executes it")
        self._observer("end", name)
        # Read back, so that a run that was resumed works with exactly the values of one that was not. A text of a document that was
        # purged meanwhile is not stored, so it is not used here either.
        stored = self._repository.step_result(self._research_id, name) if DERIVED_FROM in written else written
        result = json.loads(stored or written)
        with self._lock:
            self._results[name] = result
        return result


def results_of(steps: tuple[ResearchStep, ...]) -> dict[str, Any]:
    """Name → result of finished steps."""
    return {step.name: json.loads(step.result_json) for step in steps}
