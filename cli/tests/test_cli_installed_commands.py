"""Commands of features: found by entry point, imported when used, and harmless where they are broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from octavo_cli.toolkit import installed_commands
from octavo_contracts import COMMAND_HELP_GROUP, COMMANDS_GROUP, ExitCode

COMMAND = """
import click
from octavo_cli.toolkit.running import octavo_command
from octavo_contracts import ExitCode, UsageError

@octavo_command(name="greet")
@click.argument("name")
def command(name: str) -> ExitCode:
    '''Greet somebody.'''
    if name == "nobody":
        raise UsageError("there is nobody to greet")
    click.echo(f"hello {name}")
    return ExitCode.HARD_FAILURES if name == "failure" else ExitCode.OK
"""

Add = Callable[..., dict[str, str]]


@pytest.fixture
def feature(tmp_path: Path) -> Add:
    """Installs a feature as a real distribution; gives the environment of a process that has it."""
    site = tmp_path / "features"

    def add(
        name: str, code: str, *, value: str | None = None, summary: str | None = None, distribution: str = ""
    ) -> dict[str, str]:
        package = f"octavo_{distribution or name}_feature"
        (site / package).mkdir(parents=True)
        (site / package / "__init__.py").write_text(code, encoding="utf-8")
        info = site / f"{package}-3.1.dist-info"
        info.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: octavo-{distribution or name}-feature", "Version: 3.1"]
        lines += [f"Summary: {summary}"] if summary else []
        (info / "METADATA").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(
            f"[octavo.commands]\n{name} = {value or f'{package}:command'}\n", encoding="utf-8"
        )
        return {"PYTHONPATH": str(site)}

    return add


@pytest.fixture
def here(feature: Add, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Installs a feature for the commands that run in this process."""
    before = set(sys.modules)

    def add(*arguments: str, **options: str | None) -> None:
        monkeypatch.syspath_prepend(feature(*arguments, **options)["PYTHONPATH"])
        installed_commands.find_commands.cache_clear()

    yield add
    installed_commands.find_commands.cache_clear()
    for name in set(sys.modules) - before:
        if name.endswith("_feature"):
            del sys.modules[name]


def test_the_group_is_the_one_of_the_contract():
    assert (installed_commands.COMMANDS_GROUP, installed_commands.HELP_GROUP) == (COMMANDS_GROUP, COMMAND_HELP_GROUP)


def test_a_features_command_runs_and_ends_as_octavos_own_do(octavo_process, feature):
    env = feature("greet", COMMAND)

    good = octavo_process("greet", "Ada", env=env)
    failed = octavo_process("greet", "failure", env=env)
    refused = octavo_process("greet", "nobody", env=env)

    assert (good.code, good.out) == (0, "hello Ada\n")
    assert failed.code == ExitCode.HARD_FAILURES
    assert (refused.code, refused.stderr) == (ExitCode.USAGE, "octavo: there is nobody to greet [usage]\n")


def test_help_names_features_by_their_summary_without_importing_them(octavo_process, feature):
    env = feature("greet", "raise SystemError('imported')", summary="Greets people.")

    ended = octavo_process("--help", env=env)

    assert ended.code == 0
    assert "Other commands:\n" in ended.out
    assert "  greet  " in ended.out
    assert "Greets people." in ended.out


def test_help_names_the_distribution_where_it_has_no_summary(octavo_process, feature):
    assert "A command of octavo-greet-feature 3.1." in octavo_process("--help", env=feature("greet", COMMAND)).out


@pytest.mark.parametrize(
    ("code", "value", "words"),
    [
        ("import octavo_not_there", None, "cannot be imported: ModuleNotFoundError: No module named"),
        ("raise RuntimeError('torn')", None, "cannot be imported: RuntimeError: torn"),
        ("raise SystemExit(0)", None, "cannot be imported: SystemExit: 0"),
        ("command = 7", None, "octavo_greet_feature:command is a int"),
        ("", None, "cannot be imported: AttributeError"),
        ("", "not a module:::", "cannot be imported: "),
    ],
)
@pytest.mark.parametrize("arguments", [(), ("--help",), ("Ada", "--loud")])
def test_a_broken_feature_is_one_line_and_code_6(octavo, here, code, value, words, arguments):
    here("greet", code, value=value)

    ended = octavo("greet", *arguments)

    assert ended.code == ExitCode.TOOL_UNAVAILABLE, ended.stderr
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stderr.endswith("\n  Report it to the author of octavo-greet-feature 3.1, or uninstall it\n")
    assert ended.stderr.count("\n") == 2


def test_a_broken_feature_leaves_the_other_commands_alone(octavo_process, feature):
    env = feature("greet", "import octavo_not_there")
    feature("wave", COMMAND.replace("greet", "wave"))

    assert octavo_process("wave", "Ada", env=env).out == "hello Ada\n"
    assert octavo_process("schema", env=env).code == 0


def test_two_features_of_one_name_are_told_apart_by_nobody(octavo_process, feature):
    env = feature("greet", COMMAND)
    feature("greet", COMMAND, distribution="other")

    ended = octavo_process("greet", "Ada", env=env)

    assert ended.code == ExitCode.TOOL_UNAVAILABLE
    assert "taken by octavo-greet-feature 3.1 and octavo-other-feature 3.1" in ended.stderr


def test_a_feature_can_not_replace_a_command_of_octavo(octavo_process, feature):
    env = feature("schema", "raise SystemError('imported')")

    ended = octavo_process("schema", env=env)

    assert ended.code == 0
    assert "ingestion_result" in ended.out
    assert octavo_process("help", "--all", env=env).out.count("\n  schema ") == 1


def test_a_mistyped_feature_is_told_the_nearest_one(octavo_process, feature):
    ended = octavo_process("gret", env=feature("greet", COMMAND))

    assert ended.code == ExitCode.USAGE
    assert "did you mean greet?" in ended.stderr


def test_octavos_own_commands_do_not_look_for_features():
    """Looking for features costs a scan of what is installed; only lists of commands need it."""
    code = (
        "import sys\nfrom octavo_cli import main\nmain(['schema', '--help'])\n"
        "sys.exit('importlib.metadata' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, env=dict(os.environ))

    assert done.returncode == 0, done.stderr


def test_plugins_lists_the_commands_that_features_add(octavo_process, feature):
    """One that is broken is named with its fault, and with `--check` ends with code 6."""
    environment = feature("greet", COMMAND)
    good = octavo_process("plugins", "--json", env=environment)
    listed = {row["name"]: row for row in json.loads(good.out)["commands"]}
    assert listed["greet"] == {"name": "greet", "distribution": "octavo-greet-feature 3.1", "problem": None}
    broken = feature("moan", "raise RuntimeError('no luck')")
    checked = octavo_process("plugins", "--check", "--json", env=broken)
    listed = {row["name"]: row for row in json.loads(checked.out)["commands"]}
    assert "no luck" in listed["moan"]["problem"]["message"]
    assert checked.code == ExitCode.TOOL_UNAVAILABLE
    shown = octavo_process("plugins", env=broken)
    assert "moan cannot be used" in shown.out
    assert shown.code == ExitCode.OK


def test_plugins_lists_services_and_takes_no_command_for_one(octavo_process, feature):
    listed = json.loads(octavo_process("plugins", "--no-check", "--json", env=feature("greet", COMMAND)).out)
    assert [row for row in listed["failures"] if row["stage"] != "blocked"] == []
    assert all({"kind", "name", "distribution", "missing"} == set(row) for row in listed["services"])
