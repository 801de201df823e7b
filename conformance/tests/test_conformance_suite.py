"""The suite: its checks, its vectors, its mutants, its run over a plugin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from octavo_conformance import SUITE_VERSION
from octavo_conformance.budget import Budget
from octavo_conformance.checks import REGISTRY, Check, Registry, check
from octavo_conformance.expectations import Expectation, read_expectations
from octavo_conformance.mutants import ALL_MUTANTS, run_matrix
from octavo_conformance.plugin_folder import importable
from octavo_conformance.reference import PluginText, catalogue_of, install, reference_text
from octavo_conformance.report import make_report
from octavo_conformance.requirements import REQUIREMENTS
from octavo_conformance.runner import Run, Selection, apply_expectations
from octavo_conformance.schemas import first_violation
from octavo_conformance.subject import Subject
from octavo_conformance.vectors import load_golden, truth_schema
from octavo_conformance.vectors.golden import make_golden
from octavo_conformance.vectors.stored import FAMILIES
from octavo_contracts import CONTRACT_VERSION, UsageError, parse_contract_version

SEED = 2026
"""Of the matrix here, so that the same code gives the same answer; `octavo conformance mutants` takes a new one each time."""


def test_every_check_has_a_mutant() -> None:
    """A check that nothing breaks may as well assert nothing."""
    assert {mutant.target for mutant in ALL_MUTANTS} == {check.id for check in REGISTRY}


def test_co_failures_carry_a_reason() -> None:
    reasons = [reason for mutant in ALL_MUTANTS for reason in mutant.co_failures.values()]
    assert reasons
    assert all(len(reason) > 20 for reason in reasons)


@pytest.mark.slow
def test_every_mutant_is_killed_by_its_target_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """The matrix: every mutant fails its target and no check that does not require it; the reference plugins pass all."""
    matrix = run_matrix(seed=SEED)
    with capsys.disabled():
        print(f"\n{matrix.checks} checks, {len(matrix.verdicts)} mutants, survivors: {matrix.survivors or 'none'}")  # noqa: T201 - the count is to be seen
    told = [str(verdict) for verdict in matrix.verdicts if not verdict.ok]
    assert not told, "\n".join(told)
    assert matrix.unkilled == []
    assert matrix.references == ()


def test_ids_have_their_family_and_a_number() -> None:
    for one in REGISTRY:
        prefix, family, number = one.id.split("-")
        assert (prefix, family) == ("OC", one.family)
        assert len(number) == 3


def test_every_requirement_that_a_check_names_is_explained_and_every_explained_one_is_held() -> None:
    """A failure's requirement is never a bare id."""
    assert {name for one in REGISTRY for name in one.spec} == set(REQUIREMENTS)
    assert all(one.spec for one in REGISTRY)


def test_a_check_needs_a_rule_and_a_fix() -> None:
    with pytest.raises(ValueError, match="Fix"):

        @check("OC-TEST-001", scope="plugin", level=0, spec=())
        def nothing(subject: Subject) -> None:
            """A rule without a remedy."""


def test_a_check_is_defined_once_and_after_what_it_requires() -> None:
    registry = Registry()
    first = next(iter(REGISTRY))
    registry.add(first)
    with pytest.raises(ValueError, match="twice"):
        registry.add(first)
    with pytest.raises(ValueError, match="not defined before"):
        registry.add(REGISTRY["OC-LOAD-004"])


def test_the_committed_vectors_are_those_the_script_makes() -> None:
    """Byte for byte, with the same truth."""
    made = {vector.path: vector for vector in make_golden()}
    stored = {vector.path: vector for vector in load_golden()}
    assert made == stored
    assert {path.partition("/")[0] for path in stored} == set(FAMILIES)


def test_every_truth_fits_the_vector_schema() -> None:
    schema = truth_schema()
    for vector in load_golden():
        assert first_violation(vector.model_dump(mode="json"), schema) is None


@pytest.fixture
def newer_check() -> Iterator[Check]:
    """A check that contract 1.1 brings, as long as the test runs."""
    newer = replace(REGISTRY["OC-LOAD-001"], id="OC-LOAD-900", since="1.1")
    REGISTRY.add(newer)
    yield newer
    REGISTRY._checks.pop(newer.id)


def test_a_plugin_of_an_older_contract_is_not_held_to_newer_checks(tmp_path: Path, newer_check: Check) -> None:
    """They do not run, the report names them, and the badge says which contract the plugin is made for."""
    install(tmp_path, "older", reference_text("sheaf"))
    with importable(tmp_path), Subject("older", catalogue=catalogue_of(tmp_path), import_paths=(tmp_path,)) as subject:
        selection = Selection(level=0)
        report = make_report(subject, selection, Run(subject, selection).outcomes())
    assert report.ok
    assert report.newer == (newer_check.id,)
    assert newer_check.id not in {entry.check for entry in report.outcomes}
    assert report.badge.startswith("octavo 1.0 L0 ")


def test_the_suite_runs_at_the_minor_that_is_asked_for(newer_check: Check) -> None:
    """Also on a plugin that knows more."""
    assert newer_check in Selection(level=3).checks_for("1.1")
    assert Selection(level=3).newer_than("1.1") == []
    older = Selection(level=3, contract="1.0")
    assert newer_check not in older.checks_for("1.1")
    assert older.newer_than("1.1") == [newer_check]
    assert {one.id for one in older.checks_for("1.1")} == {one.id for one in REGISTRY if one.scope != "digest"} - {
        newer_check.id
    }


def test_every_check_is_of_a_contract_that_there_is() -> None:
    """A rule cannot be older than the first contract, nor newer than the one the suite is built with."""
    for one in REGISTRY:
        assert (1, 0) <= parse_contract_version(one.since) <= parse_contract_version(CONTRACT_VERSION)


def test_the_suites_own_version_is_by_the_calendar() -> None:
    assert re.fullmatch(r"20\d\d\.(0[1-9]|1[0-2])(\.\d+)?", SUITE_VERSION)


def test_a_selected_check_brings_what_it_requires() -> None:
    ids = [one.id for one in Selection(level=0, checks=frozenset({"OC-PAGE-002"})).checks_for("1.0")]
    assert ids[-1] == "OC-PAGE-002"
    assert {"OC-LOAD-004", "OC-SCHEMA-002", "OC-PAGE-001"} <= set(ids)


def test_what_follows_from_a_failure_is_blocked(tmp_path: Path) -> None:
    """Also where the plugin cannot even be imported."""
    install(tmp_path, "broken", PluginText(code="import octavo_not_there\n", manifest=reference_text("sheaf").manifest))
    with importable(tmp_path), Subject("broken", catalogue=catalogue_of(tmp_path), import_paths=(tmp_path,)) as subject:
        outcomes = Run(subject, Selection(level=1)).outcomes()
    assert [one.check.id for one in outcomes if one.status == "failed"] == ["OC-LOAD-003"]
    assert next(one for one in outcomes if one.check.id == "OC-SCHEMA-002").status == "blocked"


def test_a_plugin_that_hangs_outside_the_sandbox_fails_its_check_and_not_the_run(tmp_path: Path) -> None:
    """The suite's own processes have a deadline too."""
    slow = reference_text("sheaf").code.replace(
        "    if source.size == 0:",
        '    if hasattr(source, "_original"):\n        __import__("time").sleep(60)\n    if source.size == 0:',
    )
    install(tmp_path, "slow", PluginText(code=slow, manifest=reference_text("sheaf").manifest))
    budget = Budget(wall_seconds=3.0, at_once=2)
    with (
        importable(tmp_path),
        Subject("slow", catalogue=catalogue_of(tmp_path), budget=budget, import_paths=(tmp_path,)) as subject,
    ):
        outcomes = Run(subject, Selection(checks=frozenset(["OC-DET-002"]))).outcomes()
    told = next(one for one in outcomes if one.check.id == "OC-DET-002")
    assert told.status == "failed"
    assert "takes more than 3 s outside the sandbox" in told.actual


def test_an_unexpected_pass_fails() -> None:
    outcomes = _outcomes("passed")
    (told,) = apply_expectations(
        outcomes, [Expectation(check="OC-LOAD-001", vectors=frozenset(), reason="known to be so")]
    )
    assert told.status == "xpass"
    assert told.is_bad


def test_a_known_failure_does_not_fail_the_run() -> None:
    outcomes = _outcomes("failed")
    (told,) = apply_expectations(
        outcomes, [Expectation(check="OC-LOAD-001", vectors=frozenset(), reason="known to be so")]
    )
    assert told.status == "xfail"
    assert "known to be so" in told.reason
    assert not told.is_bad


def test_a_known_failure_on_one_document_holds_up_no_check_of_others(tmp_path: Path) -> None:
    """Otherwise an entry in the expectations file would spare a plugin checks that it has nothing to do with."""
    forgetful = reference_text("sheaf").code.replace(
        "    lines += notes + changes\n", "    lines += notes + changes\n    del lines[60:]\n"
    )
    install(tmp_path, "forgetful", PluginText(code=forgetful, manifest=reference_text("sheaf").manifest))
    selection = Selection(checks=frozenset(["OC-GOLD-032"]), seed=7)
    with (
        importable(tmp_path),
        Subject("forgetful", catalogue=catalogue_of(tmp_path), import_paths=(tmp_path,)) as subject,
    ):
        first = Run(subject, selection).outcomes()
        lost = frozenset(str(one.vector) for one in first if (one.check.id, one.status) == ("OC-GOLD-009", "failed"))
        known = Expectation(check="OC-GOLD-009", vectors=lost, reason="lines behind the sixtieth are lost")
        second = Run(subject, selection, [known]).outcomes()
    assert "sheaf/mixed.sheaf" in lost
    assert [one.status for one in first if one.check.id == "OC-GOLD-032"] == ["blocked"]
    assert [one.status for one in second if one.check.id == "OC-GOLD-032"] == ["passed"]
    assert {one.status for one in second if one.vector in lost and one.check.id == "OC-GOLD-009"} == {"xfail"}


def _outcomes(status: str) -> list[object]:
    from octavo_conformance.runner import Outcome

    return [Outcome(check=REGISTRY["OC-LOAD-001"], vector=None, status=status)]  # type: ignore[arg-type]  # literals above


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('plugin = "mine"\n[[expected]]\ncheck = "OC-NO-1"\nreason = "a good reason"\n', "no check 'OC-NO-1'"),
        ('plugin = "mine"\n[[expected]]\ncheck = "OC-LOAD-001"\n', "needs a reason"),
        (
            'plugin = "mine"\n[[expected]]\ncheck = "OC-LOAD-001"\nreason = "a good reason"\nvectors = ["pdf/no.pdf"]\n',
            "no vector",
        ),
        ('plugin = "mine"\n[[expected]]\ncheck = "OC-LOAD-001"\nreason = "a good reason"\nwhy = 1\n', "unknown keys"),
        ('plugin = "yours"\n', "is for plugin 'yours'"),
        ("plugin = ", "cannot be read"),
    ],
)
def test_a_wrong_expectations_file_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "octavo-conformance.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=complaint):
        read_expectations(path, plugin="mine")
