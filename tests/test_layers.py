"""The import rules between distributions hold; `.importlinter` states them and says why."""

from __future__ import annotations

import subprocess
import sys
from configparser import ConfigParser
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / ".importlinter"


def rules() -> ConfigParser:
    parsed = ConfigParser()
    parsed.read_string(RULES.read_text(encoding="utf-8"))
    return parsed


def lint(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as main; main()", *options]
    return subprocess.run(
        [*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False, env=_environment()
    )


def _environment() -> dict[str, str]:
    import os

    # Its own output is for a terminal; the warnings of its dependencies are not ours to fix.
    return {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}


@pytest.mark.skipif(not find_spec("importlinter"), reason="import-linter is not installed: it is in the extra `dev`")
@pytest.mark.skipif(
    not all(find_spec(name) for name in rules()["importlinter"]["root_packages"].split()),
    reason="import-linter looks at installed packages, and not every engine is installed",
)
def test_every_import_rule_is_kept() -> None:
    contracts = [section for section in rules().sections() if section.startswith("importlinter:contract:")]

    done = lint()

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(contracts)} kept, 0 broken" in done.stdout


def test_every_engine_of_the_repository_stands_under_the_rules() -> None:
    """A new engine that is in no rule would be free to import what it likes."""
    engines = {path.name.replace("-", "_") for path in (ROOT / "plugins" / "engines").glob("octavo-*") if path.is_dir()}

    parsed = rules()

    for section, key in (
        ("importlinter", "root_packages"),
        ("importlinter:contract:core-imports-no-plugin", "forbidden_modules"),
        ("importlinter:contract:engines-import-contracts-only", "source_modules"),
        ("importlinter:contract:engines-know-nothing-of-each-other", "modules"),
    ):
        assert engines <= set(parsed[section][key].split()), (section, key)
