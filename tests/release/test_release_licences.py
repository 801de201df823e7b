"""The licence gate: what it lets through, what it refuses, and how far it looks (docs/decisions/0009-licences.md)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

GATE = Path(__file__).resolve().parents[2] / ".ci" / "check_licences.py"

Gate = Callable[[str], "tuple[int, str]"]
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Put the metadata of a distribution where the gate finds it."""

    def put(name: str, *fields: str) -> None:
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        lines = ["Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0", *fields]
        (folder / "METADATA").write_text("\n".join(lines) + "\n", encoding="utf-8")

    return put


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """Run the gate over a root; its exit code and its table."""

    def run(root: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, GATE, root],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.mark.parametrize(
    "field",
    [
        "License-Expression: MIT",
        "License-Expression: MIT AND (GPL-3.0-only OR Apache-2.0)",
        "License-Expression: LGPL-2.1-or-later OR BSD-3-Clause",
        "Classifier: License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)",
        "License: Apache 2.0",
    ],
)
def test_permissive_licences_pass_however_they_are_said(install: Install, gate: Gate, field: str) -> None:
    install("harbour", field)
    code, table = gate("harbour")
    assert (code, "1 distributions, 0 refused" in table) == (0, True), table


@pytest.mark.parametrize(
    "field",
    [
        "License-Expression: AGPL-3.0-only",
        "License-Expression: MIT AND GPL-2.0-or-later",
        "License-Expression: LGPL-3.0-only",
        "License-Expression: MIT AND (BSD-3-Clause",
        "Classifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)",
        "License: look at our web site",
        "Summary: says nothing of a licence",
    ],
)
def test_copyleft_and_what_is_not_understood_is_refused(install: Install, gate: Gate, field: str) -> None:
    install("harbour", field)
    code, table = gate("harbour")
    assert code == 1
    assert "REFUSED: neither allowed nor reviewed" in table


def test_a_licence_deep_in_the_tree_is_found(install: Install, gate: Gate) -> None:
    """Through an extra, and not through a marker that does not hold here."""
    install("harbour", "License-Expression: MIT", 'Requires-Dist: boats[sail]; extra == "fleet"')
    install(
        "boats",
        "License-Expression: MIT",
        'Requires-Dist: ropes; extra == "sail"',
        'Requires-Dist: oars; python_version < "3"',
    )
    install("ropes", "License-Expression: GPL-3.0-only")
    assert gate("harbour")[0] == 0
    code, table = gate("harbour[fleet]")
    assert code == 1
    assert "3 distributions, 1 refused" in table
    assert "ropes" in table


def test_a_requirement_that_is_not_installed_is_not_taken_for_a_clean_one(install: Install, gate: Gate) -> None:
    install("harbour", "License-Expression: MIT", "Requires-Dist: ghost-ship")
    code, table = gate("harbour")
    assert code == 1
    assert "not looked at: ghost-ship" in table


def test_a_reviewed_licence_is_refused_when_its_words_change(install: Install, gate: Gate) -> None:
    install("tld", "License-Expression: GPL-3.0-only")
    code, table = gate("tld")
    assert code == 1
    assert "its words changed since they were reviewed" in table
