"""The list of mutants that are let live is about the code as it stands; `tox -e mutation` finds out whether it is true."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]


def table(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "tests" / "mutation" / name).read_text(encoding="utf-8"))


MODULES = {module["name"]: module for module in table("modules.toml")["module"]}


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_each_module_and_its_tests_are_there(module: dict[str, Any]) -> None:
    """A file that was moved would be mutated by nobody."""
    assert (ROOT / module["file"]).is_file()
    assert all((ROOT / test).is_file() for test in module["tests"])


@pytest.mark.parametrize("survivor", table("survivors.toml")["survivor"], ids=lambda survivor: survivor["was"])
def test_each_survivor_is_a_line_of_its_module_with_a_reason(survivor: dict[str, Any]) -> None:
    source = (ROOT / MODULES[survivor["module"]]["file"]).read_text(encoding="utf-8")

    assert survivor["was"] in {" ".join(line.split()) for line in source.splitlines()}
    assert survivor["becomes"]
    assert survivor["kind"] in {"same", "slower", "style"}
    assert survivor["because"].endswith(".")
