"""What starting Octavo costs, and what it leaves alone: each question is asked of a fresh interpreter."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGINES = ("pypdfium2", "pypdf", "pdfminer", "markitdown", "trafilatura", "python_calamine", "charset_normalizer")


def fresh(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)


def imported_by(code: str) -> set[str]:
    """The top-level modules that are loaded once `code` has run."""
    done = fresh(f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)")
    return {name.partition(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}


def test_importing_octavo_imports_no_model_no_database_no_engine_and_no_command_line() -> None:
    loaded = imported_by("import octavo")

    assert "octavo" in loaded
    assert not loaded & {"pydantic", "sqlalchemy", "alembic", "click", "rich", "octavo_contracts", *ENGINES}


def test_the_version_is_printed_without_pydantic_sqlalchemy_and_click() -> None:
    loaded = imported_by("from octavo_cli import main\nassert main(['--version']) == 0")

    assert not loaded & {"pydantic", "sqlalchemy", "click", "octavo_contracts", *ENGINES}


def test_help_needs_click_and_nothing_heavier() -> None:
    loaded = imported_by("from octavo_cli import main\nassert main(['--help']) == 0")

    assert "click" in loaded
    assert not loaded & {"pydantic", "sqlalchemy", "octavo_contracts", *ENGINES}


@pytest.mark.parametrize("name", ["field-notes.md", "annual-report.pdf", "instruments.xlsx"])
def test_converting_imports_no_engine_here_and_neither_prints_nor_logs(name: str) -> None:
    """The engines live in workers; an application's output and logging are its own."""
    code = f"""
import logging, signal, sys, warnings
handlers, filters = list(logging.root.handlers), list(warnings.filters)
signals = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)]
import octavo
result = octavo.convert("docs/samples/{name}").result
assert result.ingestion_status != "hard_failed", result.failure_receipts
assert not set(sys.modules) & set({ENGINES!r})
assert logging.root.handlers == handlers
assert [type(handler) for handler in logging.getLogger("octavo").handlers] == [logging.NullHandler]
assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)] == signals
"""
    done = fresh(code)

    assert (done.stdout, done.stderr) == ("", "")


def test_importing_an_engines_plugin_module_does_not_import_its_engine() -> None:
    """Loading a plugin to look at it must stay cheap; the engine comes with the first document."""
    modules = (
        "plaintext",
        "pdfium",
        "pypdf",
        "pdfminer",
        "trafilatura",
        "calamine",
        "markitdown",
        "pandoc",
        "libreoffice",
    )

    loaded = imported_by("".join(f"import octavo_{name}.plugin\n" for name in modules))

    assert not loaded & set(ENGINES)
