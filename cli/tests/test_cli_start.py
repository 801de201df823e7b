"""Starting: what is imported, what help says, and what an unknown command is told."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest
from octavo import __version__
from octavo_cli.app import COMMANDS, cli
from octavo_cli.command_groups import ALIASES, QUIETLY
from octavo_cli.installation.reference import EXIT_CODES
from octavo_cli.toolkit import running
from octavo_contracts import PRECEDENCE, ExitCode

HEAVY = ("pydantic", "sqlalchemy", "alembic", "octavo_contracts", "pypdfium2", "rich", "octavo_library.facade")


def imported_by(*arguments: str) -> set[str]:
    """The modules in memory after a command line ran in a fresh process."""
    code = (
        "import sys, os\n"
        "from octavo_cli import main\n"
        f"code = main({list(arguments)!r})\n"
        "assert code == 0, code\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "80"}
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("ingest", "--help"), ("doctor", "-h")])
def test_asking_for_version_or_help_imports_nothing_heavy(arguments):
    """No contracts, database, engine or table printer is imported before a command runs."""
    assert imported_by(*arguments).isdisjoint(HEAVY)


@pytest.mark.parametrize("arguments", [("convert", "tides.md", "--output", "out.md"), ("settings", "--json")])
def test_what_keeps_nothing_imports_no_database(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tides.md").write_text("# Tides\n\nHigh water at noon.\n")
    assert imported_by(*arguments).isdisjoint({"sqlalchemy", "alembic"})


def test_a_library_in_a_folder_imports_no_driver_of_a_server(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tides.md").write_text("# Tides\n\nHigh water at noon.\n")
    imported_by("ingest", "tides.md")
    for command in (("list",), ("show", "tides.md"), ("search", "tides")):
        assert imported_by(*command).isdisjoint({"sqlalchemy.dialects.postgresql", "psycopg", "obstore", "alembic"})


def test_a_first_conversion_imports_nothing_for_settings_that_nobody_set_nor_for_services(tmp_path, monkeypatch):
    """pydantic-settings reads files and variables, asyncio waits for services: a plain conversion needs neither."""
    for name in [name for name in os.environ if name.upper().startswith("OCTAVO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tides.md").write_text("# Tides\n\nHigh water at noon.\n")
    imported = imported_by("convert", "tides.md", "--output", "out.md")
    assert imported.isdisjoint({"pydantic_settings", "asyncio"})
    assert "octavo.conversion.pipeline" in imported


def test_version_does_not_even_import_click():
    assert "click" not in imported_by("--version")


def test_version_is_that_of_the_distribution(octavo):
    ended = octavo("--version")
    assert (ended.code, ended.out) == (0, f"octavo {__version__}\n")


def test_version_is_the_same_by_both_ways(octavo):
    """The shortcut for `--version` alone and click's own option agree."""
    assert octavo("--debug", "--version").out == octavo("--version").out


def test_help_lists_every_command_in_one_line_each(octavo):
    shown = octavo("help", "--all").out
    assert [name for name in COMMANDS if f"\n  {name} " not in shown] == []


def test_help_shows_the_commands_in_groups(octavo):
    """Every command is there: on a line of its own, or in the brackets of one that it belongs to."""
    shown = octavo("--help").out
    titles = ["Convert:", "Keep a library:", "Work with the text:", "Administer:"]
    assert [line for line in shown.splitlines() if line in titles] == titles
    words = set(shown.replace("[", " ").replace("]", " ").replace(",", " ").replace("verify-\n", "verify-").split())
    assert sorted(set(cli.list_commands(click.Context(cli))) - words - QUIETLY - {"verify-store"}) == []


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_an_alias_is_the_command(octavo, alias, name):
    assert octavo(alias, "--help").out.partition("\n")[2] == octavo(name, "--help").out.partition("\n")[2]


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_the_help_of_a_command_with_two_names_says_that_they_are_one(octavo, alias, name):
    for asked in ((alias, "--help"), (name, "--help"), ("help", alias)):
        shown = " ".join(octavo(*asked).out.split())
        assert shown.endswith(f"`octavo {name}` and `octavo {alias}` are the same command."), asked
    assert "are the same command" not in octavo("convert", "--help").out


def test_help_explains_a_command(octavo):
    assert octavo("help", "show").out == octavo("show", "--help").out
    assert "no command named 'shwo'; did you mean show?" in octavo("help", "shwo").stderr
    assert octavo("help").out == octavo("--help").out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_says_of_a_command_what_its_own_help_says_first(name):
    with click.Context(cli) as context:
        command = cli.get_command(context, name)
    assert command is not None
    assert command.name == name
    assert (command.help or "").split("\n\n")[0].strip() == COMMANDS[name].help


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_its_usage(octavo, name):
    ended = octavo(name, "--help")
    assert ended.code == 0
    assert ended.out.startswith(f"Usage: octavo {name}")


def test_an_unknown_command_is_told_the_nearest_one(octavo):
    ended = octavo("ingset")
    assert ended.code == ExitCode.USAGE
    assert ended.stderr == "octavo: no command named 'ingset'; did you mean ingest? [usage]\n  Run `octavo --help`\n"


def test_an_unknown_command_that_resembles_none_is_not_guessed_at(octavo):
    assert "did you mean" not in octavo("zzzz").stderr


def test_an_unknown_option_takes_two_lines_and_names_the_help(octavo):
    ended = octavo("ingest", "x", "--colour")
    assert ended.code == ExitCode.USAGE
    assert ended.stderr.endswith("[usage]\n  Run `octavo ingest --help`\n")
    assert ended.stderr.count("\n") == 2


def test_a_missing_argument_is_a_usage_error(octavo):
    ended = octavo("ingest")
    assert ended.code == ExitCode.USAGE
    assert "PATH..." in ended.stderr


def test_the_codes_known_before_contracts_is_imported_are_those_of_contracts():
    assert (running.INTERNAL, running.USAGE, running.INTERRUPTED) == (
        ExitCode.INTERNAL,
        ExitCode.USAGE,
        ExitCode.INTERRUPTED,
    )


def test_every_exit_code_is_explained():
    assert set(EXIT_CODES) == set(ExitCode) == set(PRECEDENCE)


def test_the_console_script_calls_main():
    from importlib.metadata import entry_points

    (script,) = entry_points(group="console_scripts", name="octavo")
    assert script.value == "octavo_cli:main"


def test_without_the_command_line_the_core_says_what_to_install():
    """A program that embeds the core need not have `octavo-cli`: `python -m octavo` then ends with a missing tool's code."""
    code = (
        "import runpy, sys\nfrom importlib import util\nfound = util.find_spec\n"
        "util.find_spec = lambda name, package=None: None if name == 'octavo_cli' else found(name, package)\n"
        "runpy.run_module('octavo', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == ExitCode.TOOL_UNAVAILABLE
    assert done.stderr.endswith("[tool_unavailable]\n  Run: pip install 'octavo[cli]'\n")
