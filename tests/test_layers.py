"""The import rules between distributions hold; `.importlinter` states them and says why."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
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


def lint() -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as main; main()", "--no-cache"]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)


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
        ("importlinter:contract:only-tests-import-the-conformance-suite", "source_modules"),
        ("importlinter:contract:the-conformance-suite-knows-no-engine", "forbidden_modules"),
        ("importlinter:contract:engines-know-nothing-of-each-other", "modules"),
    ):
        assert engines <= set(parsed[section][key].split()), (section, key)


CLIENTS = {"urllib.request", "http.client", "http.server", "ftplib", "smtplib", "imaplib", "poplib", "xmlrpc.client"}


def test_nothing_imports_a_network_client_of_the_standard_library() -> None:
    """import-linter sees only whole external packages, and `urllib.parse` is harmless (DIG-27, CNV-17)."""
    sources = [*ROOT.glob("*/src/**/*.py"), *ROOT.glob("plugins/*/*/src/**/*.py")]

    found = {f"{path.relative_to(ROOT)}: {name}" for path in sources for name in imported(path) if name in CLIENTS}

    assert len(sources) > 100
    assert found == {
        "sandbox/src/octavo_sandbox/egress/exchange.py: http.client",  # the one way out
        "conformance/src/octavo_conformance/loopback.py: http.server",  # what tests speak to: it calls nobody
    }


def imported(path: Path) -> Iterator[str]:
    """The modules that a source names in its imports, as far as they are absolute."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
