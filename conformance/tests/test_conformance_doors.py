"""The doors: the command line, pytest, the kit, and the reports they give."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import resources
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from octavo_conformance import ConverterConformance
from octavo_conformance.checks import REGISTRY
from octavo_conformance.cli import command, main
from octavo_conformance.mutants import ALL_MUTANTS, DocumentMutant, run_matrix
from octavo_conformance.plugin_folder import importable
from octavo_conformance.reference import PluginText, install, reference_text
from octavo_conformance.report import Report, report_schema
from octavo_conformance.schemas import first_violation
from octavo_conformance.vectors.fresh import make_fresh

BROKEN = reference_text("sheaf").code.replace(
    "return list(range(1, count + 1))", "return [n for n in range(1, count + 1) if n != 2]"
)


def run(*arguments: str) -> Result:
    """Run `octavo conformance`."""
    return CliRunner().invoke(command, list(arguments))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with a plugin that keeps to the contract, one that loses a page, and one that cannot be imported."""
    folder = tmp_path / "site"
    good = reference_text("sheaf")
    install(folder, "good", good)
    install(folder, "lossy", PluginText(code=BROKEN, manifest=good.manifest))
    install(folder, "torn", PluginText(code="import octavo_not_there\n", manifest=good.manifest))
    return folder


def test_a_run_writes_reports_that_fit_their_schema(site: Path, tmp_path: Path) -> None:
    with importable(site):
        result = run("run", "good", "--level", "1", "--json", "--report", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert first_violation(report, report_schema()) is None
    assert report == json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    cases = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot().iter("testcase")
    assert len(list(cases)) == len(report["outcomes"])
    passed = report["totals"]["passed"]
    assert (tmp_path / "out" / "badge.txt").read_text(encoding="utf-8") == f"octavo 1.0 L1 sheaf {passed}/{passed}\n"


def test_the_badge_claims_no_level_that_was_not_tested(site: Path, tmp_path: Path) -> None:
    """Single checks make no badge; a plugin whose format has no vectors is at level 0, whatever was asked for."""
    odd = reference_text("sheaf")
    manifest = odd.manifest.replace("application/x-octavo-sheaf", "application/x-octavo-scroll")
    install(site, "scroll", PluginText(code=odd.code, manifest=manifest))
    with importable(site):
        some = run("run", "good", "--check", "OC-LOAD-001", "--report", str(tmp_path / "out"))
        scroll = run("run", "scroll", "--level", "3")
    assert some.exit_code == 0
    assert "octavo 1.0" not in some.stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["junit.xml", "report.json"]
    assert re.search(
        r"^unproven: OC-LOAD-010: no document of the suite shows attachments, ", scroll.stdout, re.MULTILINE
    )
    passed, counted = re.findall(r"\d+", scroll.stdout.splitlines()[-1].removeprefix("octavo 1.0 L0 convert "))
    assert int(passed) == int(counted) - 1


def test_a_subclass_has_the_tests_of_its_level_and_of_its_plugin(site: Path) -> None:
    """What is not for the plugin is no test: a skip would say nothing."""
    with importable(site):

        class Mine(ConverterConformance):
            plugin = "good"
            level = 1

        class Whole(Mine):
            level = 2

    assert callable(Mine.test_oc_page_001)  # type: ignore[attr-defined]  # made from the checks
    assert Mine.test_oc_det_001 is None  # type: ignore[attr-defined]  # made from the checks
    assert Mine.test_oc_ocr_001 is None  # type: ignore[attr-defined]  # made from the checks
    assert callable(Whole.test_oc_det_001)  # type: ignore[attr-defined]  # made from the checks


def test_the_committed_report_schema_is_the_one_the_code_makes() -> None:
    """`octavo conformance schema > conformance/src/octavo_conformance/schema/conformance_report.json` renews it."""
    text = resources.files("octavo_conformance").joinpath("schema/conformance_report.json").read_text(encoding="utf-8")
    assert run("schema").stdout == text


def test_a_failure_says_rule_evidence_requirement_rerun_and_checklist(site: Path) -> None:
    with importable(site):
        result = run("run", "lossy", "--level", "1", "--check", "OC-PAGE-001")
    assert result.exit_code == 3
    for part in (
        "OC-PAGE-001 failed: A document with pages gives the same number of pages",
        "[plugin lossy 1.0, vector sheaf/record.sheaf]",
        "expected (True, 3)",
        "actual   (True, 2)",
        "holds      CNV-12 (Conversion and routing): A format with pages gives anchors",
        "rerun      octavo conformance run lossy --check OC-PAGE-001 --vectors sheaf/record.sheaf",
        "[ ] Return a Page for every page",
    ):
        assert part in result.stdout


def test_list_and_explain_tell_of_every_check() -> None:
    listed = json.loads(run("list", "--json").stdout)
    for entry in listed["checks"]:
        told = run("explain", entry["id"]).stdout
        assert entry["rule"] in told
        assert all(step in told for step in entry["fix"])
    assert listed["checks"][0]["id"] in run("list").stdout


def test_explain_tells_of_requirements_and_who_holds_them() -> None:
    told = run("explain", "dig-8").stdout
    assert told.startswith("DIG-8 (Document digest): ")
    assert "OC-SPAN-102: canonical.txt is canonical" in told


def test_init_writes_a_test_that_passes(site: Path, tmp_path: Path) -> None:
    """From nothing to a run of pytest: the written test finds the plugin and the expectations file."""
    project = tmp_path / "project"
    assert run("init", "good", "--folder", str(project)).exit_code == 0
    assert run("init", "good", "--folder", str(project)).exit_code == 2
    test = project / "tests" / "test_good_conformance.py"
    test.write_text(test.read_text(encoding="utf-8") + "    level = 1\n", encoding="utf-8")
    with importable(site):
        done = _pytest(str(project / "tests"))
    assert done.returncode == 0, done.stdout
    assert "test_oc_page_001 PASSED" in done.stdout


def test_the_pytest_door_runs_from_any_folder(site: Path, tmp_path: Path) -> None:
    with importable(site):
        done = _pytest(
            "--pyargs", "octavo_conformance.suite", "--octavo-plugin=lossy", "--octavo-level=1", cwd=tmp_path
        )
    assert done.returncode == 1
    assert "OC-PAGE-001 failed" in done.stdout
    assert _pytest("--pyargs", "octavo_conformance.suite", "-x", cwd=tmp_path).returncode == 1


def _pytest(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_mutants_counts_and_names_what_was_not_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here over some mutants, one of which changes nothing; the whole matrix is a test of its own."""
    some = [mutant for mutant in ALL_MUTANTS if mutant.target in ("OC-DIG-001", "OC-DIG-002")]
    same = DocumentMutant(target="OC-DIG-003", spoil=lambda evidence: evidence, variant="same")
    matrix = run_matrix([*some, same])
    asked: list[int | None] = []
    monkeypatch.setattr("octavo_conformance.mutants.run_matrix", lambda *, seed: asked.append(seed) or matrix)

    told = run("mutants", "--seed", "7", "--json")
    shown = run("mutants").stdout

    found = json.loads(told.stdout)
    assert asked == [7, None]
    assert told.exit_code == 3
    assert found["checks"] == len(REGISTRY)
    assert found["mutants"] == len(some) + 1
    assert found["survivors"] == ["mutant-oc-dig-003-same"]
    assert set(found["unkilled"]) == {check.id for check in REGISTRY} - {"OC-DIG-001", "OC-DIG-002"}
    assert "mutant-oc-dig-003-same: killed False" in shown
    assert shown.splitlines()[-1] == f"{len(REGISTRY)} checks, {len(some) + 1} mutants, 1 survivors"


def test_replacing_a_check_of_the_kit_is_an_error() -> None:
    with pytest.raises(TypeError, match="test_oc_page_001"):

        class Cheater(ConverterConformance):
            plugin = "good"

            def test_oc_page_001(self) -> None:
                """Passes whatever the plugin does."""


def test_replacing_the_report_of_the_kit_is_an_error() -> None:
    """Else one line would make every check pass."""
    with pytest.raises(TypeError, match="report"):

        class Cheater(ConverterConformance):
            plugin = "good"

            @classmethod
            def report(cls) -> Report:
                raise NotImplementedError


def test_the_documents_of_checks_can_be_written_and_opened(tmp_path: Path) -> None:
    """Golden, hostile and fresh ones, by the paths that reports give them, with their words."""
    folder = tmp_path / "vectors"
    assert run("vectors", str(folder), "--seed", "11").exit_code == 0
    fresh = next(vector for vector in make_fresh(11) if vector.path == "pdf/fresh.pdf")
    assert (folder / fresh.path).read_bytes() == fresh.data
    assert (folder / "pdf" / "fresh.pdf.words").read_text(encoding="utf-8").splitlines() == list(fresh.expected.pages)
    assert {path.name for path in (folder / "xlsx").iterdir()} >= {"sheets.xlsx", "bomb.xlsx", "fresh.xlsx"}
    again = run("vectors", str(folder))
    assert again.exit_code == 2
    assert "is not empty" in again.stderr


def test_a_plugin_of_a_project_that_is_not_installed_is_told_how(tmp_path: Path) -> None:
    result = run("run", "nobody")
    assert result.exit_code == 2
    assert "pip install -e ." in result.stderr


def test_the_commands_are_a_feature_of_the_command_line(capfd: pytest.CaptureFixture[str]) -> None:
    """`octavo conformance` and `octavo-conformance` are one program."""
    (feature,) = entry_points(group="octavo.commands", name="conformance")
    assert feature.load() is command
    assert main(["explain", "OC-LOAD-001"]) == 0
    assert "OC-LOAD-001: " in capfd.readouterr().out
    assert main(["no-such-command"]) == 2
    assert capfd.readouterr().err.startswith("octavo: no such command 'no-such-command'")


def test_the_support_matrix_is_made_of_reports(site: Path, tmp_path: Path) -> None:
    """A row a plugin, a column a family; a known failure stands with its reason."""
    known = tmp_path / "octavo-conformance.toml"
    known.write_text(
        'plugin = "lossy"\n[[expected]]\ncheck = "OC-PAGE-001"\nreason = "The second page is lost."\n', encoding="utf-8"
    )
    with importable(site):
        run("run", "good", "--level", "0", "--report", str(tmp_path / "reports" / "good"))
        arguments = ("run", "lossy", "--check", "OC-PAGE-001", "--expectations", str(known))
        run(*arguments, "--report", str(tmp_path / "reports" / "lossy"))

    shown = run("matrix", str(tmp_path / "reports")).stdout
    rows = json.loads(run("matrix", str(tmp_path / "reports"), "--json").stdout)["supports"]

    assert [row["plugin"] for row in rows] == ["good", "lossy"]
    assert rows[1]["families"]["sheaf"]["known"] == 1
    assert "| `lossy` | 2 |" in shown
    assert "paginated, pages (The second page is lost.)" in shown
