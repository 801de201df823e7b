"""Trials: tests run once in a forked process, in which one module is replaced by a mutant of it.

No file is changed. What the tests import from other distributions is imported before the fork, so that a trial need not.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import json
import os
import resource
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType

import pytest

PATIENCE = 5
"""How many times as long as the tests themselves a trial may take of the processor, and so many seconds more."""
WALL_SECONDS = 600
"""A trial that waits for something ends after so long."""
MEMORY_BYTES = 4 << 30
"""Address space of a trial: a mutant that gathers without end fails by itself."""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a trial ended.

    Attributes:
        passed: whether all tests passed: a mutant has survived.
        timed_out: whether it was ended for taking too long.
        cpu_seconds: what it took of the processor.
    """

    passed: bool
    timed_out: bool
    cpu_seconds: float


@dataclass(frozen=True)
class Rehearsal:
    """How tests went without a mutant.

    Attributes:
        tests: arguments of pytest.
        cpu_seconds: what they took of the processor.
        durations: seconds of each test by its id.
    """

    tests: Sequence[str]
    cpu_seconds: float
    durations: dict[str, float]


class _QuickestFirst:
    """Has pytest run the quickest tests first, as most mutants fail most tests; notes how long each takes."""

    def __init__(self, durations: dict[str, float]) -> None:
        self.durations = durations

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self.durations.get(item.nodeid, 0.0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.durations[report.nodeid] = self.durations.get(report.nodeid, 0.0) + report.duration


class _Instead(importlib.abc.MetaPathFinder):
    """Finds one module with other code than its file's."""

    def __init__(self, module: str, file: Path, code: str) -> None:
        self._module, self._file, self._code = module, file, code

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        if fullname != self._module:
            return None
        loader = _Loader(fullname, str(self._file))
        loader.code = self._code
        return importlib.util.spec_from_file_location(fullname, self._file, loader=loader)


class _Loader(SourceFileLoader):
    code: str

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.code, self.path, "exec", dont_inherit=True)


def begin(usual: Rehearsal, *, module: str, file: Path, code: str) -> int:
    """Begin a trial.

    Args:
        usual: the tests, and how they went without a mutant.
        module: dotted name of the replaced module.
        file: where its own code stands.
        code: the code to run instead.

    Returns:
        The id of the process.
    """
    limit = int(PATIENCE * usual.cpu_seconds) + PATIENCE
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            signal.alarm(WALL_SECONDS)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + PATIENCE))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)
            sys.meta_path.insert(0, _Instead(module, file, code))
            status = _run(usual.tests, _QuickestFirst(usual.durations))
        finally:
            os._exit(status)
    return pid


def next_end() -> tuple[int, Ended]:
    """Wait for whichever trial ends next: its process's id, and how it ended."""
    pid, status, usage = os.wait4(-1, 0)
    timed_out = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL)
    return pid, Ended(passed=status == 0, timed_out=timed_out, cpu_seconds=usage.ru_utime + usage.ru_stime)


def rehearse(tests: Sequence[str], *, apart_from: Path) -> Rehearsal | None:
    """Run tests as they are, then import what they imported.

    Args:
        tests: arguments of pytest.
        apart_from: the folder whose modules are not imported.

    Returns:
        How they went; None where one fails, which is printed.
    """
    sys.stdout.flush()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            os.close(reading)
            order = _QuickestFirst({})
            status = _run(tests, order)
            sys.stdout.flush()
            with open(writing, "w") as out:
                json.dump([order.durations, _imported(apart_from=apart_from)], out)
        finally:
            os._exit(status)
    os.close(writing)
    with open(reading) as answer:
        durations, imported = json.load(answer)
    for name in imported:
        importlib.import_module(name)
    _, ended = next_end()
    return Rehearsal(tests, ended.cpu_seconds, durations) if ended.passed else None


def _imported(*, apart_from: Path) -> list[str]:
    """The names of the modules that stand in files, but not below a folder."""
    return [
        name
        for name, module in list(sys.modules.items())
        if (spec := getattr(module, "__spec__", None)) is not None
        and spec.name == name
        and spec.has_location
        and not Path(spec.origin).is_relative_to(apart_from)
    ]


def _run(tests: Sequence[str], order: _QuickestFirst) -> int:
    return int(pytest.main(["-x", "-q", "--noconftest", "-p", "no:cacheprovider", "--assert=plain", *tests], [order]))
