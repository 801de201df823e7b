"""Test kit for plugin authors: a subclass that names the plugin has one test for each check.

from octavo_conformance import ConverterConformance

class TestMine(ConverterConformance):
    plugin = "mine"
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from octavo_contracts import OctavoError, PluginManifest, UsageError

from . import families as _families  # noqa: F401 - importing it fills the registry
from .checks import REGISTRY, Check
from .expectations import find_file, read_expectations
from .plugin_lookup import catalogue_with
from .report import Entry, Report, failure_text, make_report, rerun_command
from .runner import Run, Selection
from .subject_lookup import find_subject
from .vector_selection import own_vectors


def run_plugin(
    name: str, *, selection: Selection, near: Path | None = None, expectations: Path | None = None
) -> Report:
    """Run the suite over an installed plugin.

    Args:
        name: the plugin.
        selection: the checks and vectors to run.
        near: folder in which the expectations file is searched for first.
        expectations: path of the expectations file.

    Raises:
        UsageError: the plugin is unknown, or the expectations file is invalid.
        ToolUnavailable: the plugin cannot be used here.
    """
    with find_subject(name) as subject:
        path = expectations or find_file(subject.plugin, near=near)
        known = read_expectations(path, plugin=name) if path else ()
        return make_report(subject, selection, Run(subject, selection, known).outcomes())


def _manifest_of(name: str) -> PluginManifest | None:
    """Return a plugin's manifest, or None if it cannot be read: running the suite then reports the reason."""
    try:
        return catalogue_with(name).get(name).manifest
    except UsageError:
        return None


def _method_name(check: Check) -> str:
    return f"test_{check.id.lower().replace('-', '_')}"


class ConverterConformance:
    """Each check as a test method. The suite runs once per class, when its first test runs.

    A subclass has only the checks that are within the level and apply to the plugin's manifest.

    Attributes:
        plugin: name of the plugin; it must be installed.
        level: run checks up to this level, 0 to 3.
        families: use vectors of these families only; empty for all.
        seed: seed of the fresh documents; None for a new one in each run.
        vectors: folder of the author's own documents with expected output, relative to the file of the class; empty for none.

    A subclass may add its own tests. Overriding a test of the kit is an error, because it would silently pass what the
    suite rejects. List known failures in `octavo-conformance.toml`, beside the test file or one folder above.
    """

    plugin: ClassVar[str] = ""
    level: ClassVar[int] = 3
    families: ClassVar[frozenset[str]] = frozenset()
    seed: ClassVar[int | None] = None
    vectors: ClassVar[str] = ""
    _report: ClassVar[Report | None] = None

    def __init_subclass__(cls) -> None:
        """Keep the checks that apply to the plugin; raise if the subclass overrides one.

        Raises:
            TypeError: the subclass overrides a check.
        """
        super().__init_subclass__()
        kit = {_method_name(check): check for check in REGISTRY if check.scope != "digest"}
        if replaced := sorted((kit.keys() | {"report"}) & vars(cls).keys()):
            raise TypeError(
                f"{cls.__name__} overrides {', '.join(replaced)} of the conformance kit; "
                "list a known failure with its reason in octavo-conformance.toml instead"
            )
        cls._report = None
        manifest = _manifest_of(cls.plugin)
        for name, check in kit.items():
            closed = check.level > cls.level or (manifest is not None and check.closed_by(manifest))
            # pytest does not collect what is not callable.
            setattr(cls, name, None if closed else getattr(ConverterConformance, name))

    @classmethod
    def report(cls) -> Report:
        """Return the report of the run; the first call runs the suite."""
        if cls._report is None:
            selection = Selection(level=cls.level, families=cls.families)
            if cls.seed is not None:
                selection = replace(selection, seed=cls.seed)
            near = Path(inspect.getfile(cls)).resolve().parent
            try:
                if cls.vectors:
                    folder = near / cls.vectors
                    own = own_vectors(catalogue_with(cls.plugin).get(cls.plugin).manifest, folder)
                    selection = replace(selection, own=own, own_folder=str(folder))
                cls._report = run_plugin(cls.plugin, selection=selection, near=near)
            except OctavoError as error:
                pytest.fail(str(error), pytrace=False)
        return cls._report


def _test_of(check: Check) -> Callable[[ConverterConformance], None]:
    def test(self: ConverterConformance) -> None:
        report = type(self).report()
        settle([entry for entry in report.outcomes if entry.check == check.id], report)

    test.__name__ = _method_name(check)
    test.__doc__ = check.rule
    return test


def settle(entries: list[Entry], report: Report) -> None:
    """End a test according to its outcomes: fail, skip, xfail, or pass."""
    bad = [entry for entry in entries if entry.status in ("failed", "xpass")]
    if bad:
        subject = f"plugin {report.plugin} {report.plugin_version}"
        texts = [failure_text(entry, subject=subject, rerun=rerun_command(report, entry)) for entry in bad]
        pytest.fail("\n\n".join(texts), pytrace=False)
    for entry in entries:
        if entry.status == "xfail":
            pytest.xfail(entry.reason)
    if not any(entry.status == "passed" for entry in entries):
        reasons = {f"{entry.status}: {entry.reason}" for entry in entries} or {"not in this level or contract version"}
        pytest.skip("; ".join(sorted(reasons)))


for _check in REGISTRY:
    if _check.scope != "digest":
        setattr(ConverterConformance, _method_name(_check), _test_of(_check))
