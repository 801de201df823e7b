"""The samples of failures in "How failures read" are what the suite prints."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from docs_runner import UPDATE
from octavo_conformance.expectations import read_expectations
from octavo_conformance.mutants import ALL_MUTANTS, PluginMutant
from octavo_conformance.plugin_folder import importable
from octavo_conformance.reference import PluginText, catalogue_of, install, reference_text
from octavo_conformance.report import failures_of, make_report
from octavo_conformance.runner import Run, Selection
from octavo_conformance.subject import Subject

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "how-failures-read.md"
SAMPLES = {"text": "OC-SPAN-001", "network": "OC-NET-001", "expectation": "OC-GOLD-004"}
KNOWN = """
plugin = "mine"
[[expected]]
check = "OC-GOLD-004"
reason = "The engine does not report headings."
"""


def sample(name: str) -> str:
    """What stands in the page."""
    found = re.search(rf"<!-- sample: {name} -->\n```\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def broken_in(check: str) -> PluginText:
    """A plugin that breaks one check: its mutant."""
    (mutant, *_) = [one for one in ALL_MUTANTS if isinstance(one, PluginMutant) and one.target == check]
    return mutant.text()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_what_the_suite_prints(name: str, tmp_path: Path) -> None:
    """With OCTAVO_UPDATE=1 the page is written anew instead."""
    text = reference_text("sheaf") if name == "expectation" else broken_in(SAMPLES[name])
    site, known = tmp_path / "site", tmp_path / "octavo-conformance.toml"
    install(site, "mine", text)
    known.write_text(KNOWN, encoding="utf-8")
    expected = read_expectations(known, plugin="mine") if name == "expectation" else ()
    selection = Selection(checks=frozenset([SAMPLES[name]]), vectors=frozenset(["sheaf/record.sheaf"]))

    with importable(site), Subject("mine", catalogue=catalogue_of(site), import_paths=(site,)) as subject:
        report = make_report(subject, selection, Run(subject, selection, expected).outcomes())
    (printed,) = failures_of(report)

    if os.environ.get(UPDATE, "") not in ("", "0"):
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(
            page.replace(f"{name} -->\n```\n{sample(name)}", f"{name} -->\n```\n{printed}\n"), encoding="utf-8"
        )
    assert sample(name) == printed + "\n"


def test_a_sample_has_every_part() -> None:
    for name, check in SAMPLES.items():
        text = sample(name)
        for part in (check, "plugin mine 1.0", "evidence", "expected", "actual", "holds", "rerun", "checklist", "[ ]"):
            assert part in text, (name, part)
