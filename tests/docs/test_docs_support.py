"""The support matrix and the engines agree: what a full run finds is compared by `tox -e conformance`."""

from __future__ import annotations

import re
from pathlib import Path

import conformance_pages
import pytest
import support_matrix
from octavo_conformance.checks import REGISTRY
from octavo_conformance.expectations import read_expectations
from octavo_conformance.support import KnownFailure, Support

SUPPORTS = {one.plugin: one for one in conformance_pages.committed_supports()}


def project(name: str) -> Path:
    """An engine's folder."""
    return support_matrix.ROOT / "plugins" / "engines" / f"octavo-{name}"


def test_every_engine_is_measured_at_the_highest_level_and_as_expected() -> None:
    assert sorted(SUPPORTS) == sorted(support_matrix.engines())
    assert {(one.level, one.ok) for one in SUPPORTS.values()} == {(support_matrix.LEVEL, True)}


def test_no_engine_reaches_the_highest_level_with_a_known_failure() -> None:
    """A level is reached, not asked for."""
    assert [one.plugin for one in SUPPORTS.values() if one.known and one.reached == support_matrix.LEVEL] == []


@pytest.mark.parametrize("name", support_matrix.engines())
def test_known_failures_are_those_that_the_engines_own_file_names(name: str) -> None:
    """Each with its reason; and no entry of a file that nothing fails."""
    entries = read_expectations(project(name) / "octavo-conformance.toml", plugin=name)

    told = {failure.check: failure.reason for failure in SUPPORTS[name].known}

    assert set(told) == {entry.check for entry in entries}
    assert all(any(entry.reason in told[check] for entry in entries if entry.check == check) for check in told)


@pytest.mark.parametrize("name", support_matrix.engines())
def test_every_engine_runs_the_suite_in_its_own_tests(name: str) -> None:
    text = (project(name) / "tests" / f"test_{name.replace('-', '_')}_conformance.py").read_text(encoding="utf-8")

    assert "(ConverterConformance)" in text
    assert re.search(rf'^    plugin = "{name}"$', text, re.MULTILINE)


def test_a_figure_that_differs_is_noticed_and_a_version_that_differs_is_not() -> None:
    one = next(iter(SUPPORTS.values()))
    failure = KnownFailure(check=next(iter(REGISTRY)).id, vectors=(), reason="another")
    newer = Support.read(one.to_json().replace(one.plugin_version, "9.9"))
    worse = one.model_copy(update={"known": (*one.known, failure)})

    assert support_matrix.figures(newer) == support_matrix.figures(one)
    assert support_matrix.figures(worse) != support_matrix.figures(one)
