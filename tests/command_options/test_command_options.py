"""Each option of each command has an effect, or is refused: on standard output, the exit code, an error's reason, a file or the library."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import click
import pytest
from octavo_cli.app import cli
from option_effects import Effects, Noise, environment, output_of, run_in_copy
from option_recipes import RECIPES, On, Without
from option_world import make_world

ROOT = Path(__file__).resolve().parents[2]
EVERYWHERE = {"--help", "--debug", "--quiet", "--verbose"}
"""Options of every command, which tests of their own try."""


def commands() -> dict[str, click.Command]:
    """Every command that does something itself, by its words."""

    def walk(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
        if words and (not isinstance(command, click.Group) or command.invoke_without_command):
            yield " ".join(words), command
        if not isinstance(command, click.Group):
            return
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from walk(inner, (*words, name))

    return dict(walk(cli, ()))


def options(command: click.Command) -> Iterator[tuple[str, click.Option]]:
    """Each option by its long name; a pair of flags is two."""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            names = [max(parameter.opts, key=len), *(max([one], key=len) for one in parameter.secondary_opts)]
            yield from ((name, parameter) for name in names if name not in EVERYWHERE)


UNTIL_STOPPED = {
    "watch": "runs until it is stopped; plugins/features/octavo-library/tests/watching tries its options",
    "web": "serves until it is stopped; plugins/features/octavo-dashboard/tests tries its options",
    "mcp": "serves until it is stopped; plugins/features/octavo-mcp/tests tries its options",
}
"""Commands that do not end by themselves."""

OF_LIBRARY = {"--library": "bare", "--index": "postgresql://127.0.0.1:9/none"}
"""Option of every command on a library → a value that is another library, or none that answers."""

CASES = [
    (name, option, parameter)
    for name, command in commands().items()
    if name not in UNTIL_STOPPED
    for option, parameter in options(command)
]


@dataclass
class World:
    """The prepared folder, and what commands do there without an option."""

    folder: Path
    words: dict[str, str]
    known: dict[tuple[str, tuple[str, ...]], tuple[Effects, Noise]] = field(default_factory=dict)

    def run(self, line: str, before: tuple[str, ...] = ()) -> Effects:
        for word, value in self.words.items():
            line = line.replace(word, value)
        return run_in_copy(self.folder, line, before)

    def without(self, line: str, before: tuple[str, ...]) -> tuple[Effects, Noise]:
        """The effects of a command without an option, and their noise."""
        if (line, before) not in self.known:
            first, second = self.run(line, before), self.run(line, before)
            self.known[line, before] = first, Noise.between(first, second)
        return self.known[line, before]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    root = tmp_path_factory.mktemp("options")
    with mock.patch.dict(os.environ, environment(root / "home"), clear=True):
        work = root / "work"
        work.mkdir()
        words = make_world(work, lambda line: output_of(work, line))
        prepared = work.rename(root / "prepared")
        yield World(prepared, words)


def values(option: str, parameter: click.Option, given: str | list[str] | None) -> list[str]:
    """What follows the command's arguments, one text a value to try."""
    if isinstance(given, list):
        return [f"{option} {value}" for value in given]
    if given:
        return [f"{option} {given}"]
    if parameter.is_flag:
        return [option]
    assert isinstance(parameter.type, click.Choice)
    return [f"{option} {choice}" for choice in parameter.type.choices if choice != parameter.default]


def given_for(name: str, option: str) -> str | list[str] | On | Without | None:
    """What the recipe of a command gives to an option; None for a flag, and for one that takes each of its choices."""
    return RECIPES[name].options.get(option, OF_LIBRARY.get(option))


def test_every_command_has_a_recipe() -> None:
    assert set(commands()) == {*RECIPES, *UNTIL_STOPPED}


def test_every_option_has_values_to_try() -> None:
    assert [
        f"{name} {option}"
        for name, option, parameter in CASES
        if not given_for(name, option) and not parameter.is_flag and not isinstance(parameter.type, click.Choice)
    ] == []


def test_recipes_name_options_that_exist() -> None:
    known = {(name, option) for name, option, _ in CASES}

    assert {(name, option) for name, recipe in RECIPES.items() for option in recipe.options} <= known


@pytest.mark.parametrize("name", sorted(UNTIL_STOPPED))
def test_each_option_of_a_command_that_does_not_end_is_tried_elsewhere(name: str) -> None:
    """The tests that its reason names give every option of its own; `--library` is in each of their command lines."""
    (place,) = re.findall(r"plugins/\S+/tests\S*", UNTIL_STOPPED[name])
    written = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / place).rglob("test_*.py")))

    own = {option for option, _ in options(commands()[name])} - set(OF_LIBRARY)

    assert {option for option in own if f'"{option}"' not in written} == set()


@pytest.mark.slow
@pytest.mark.skipif("OCTAVO_TEST_OPTIONS" not in os.environ, reason="runs each command many times: tox -e options")
@pytest.mark.parametrize(("name", "option", "parameter"), CASES, ids=[f"{name} {option}" for name, option, _ in CASES])
def test_an_option_has_an_effect(name: str, option: str, parameter: click.Option, world: World) -> None:
    recipe = RECIPES[name]
    given = given_for(name, option)
    if isinstance(given, Without):
        pytest.skip(given.reason)
    arguments, before = recipe.arguments, recipe.before
    if isinstance(given, On):
        arguments, before, given = given.arguments, given.before or before, given.value
    without, noise = world.without(f"{name} {arguments}", before)

    tried = []
    for extra in values(option, parameter, given):
        effects = world.run(f"{name} {arguments} {extra}", before)
        tried.append(f"octavo {name} {arguments} {extra} -> {effects.code} {effects.errors.strip()[:200]}")
        assert effects.code != 1, tried[-1]
        if effects.is_refused or noise.differs(without, effects):
            return
    pytest.fail(f"no effect, compared with exit code {without.code} without it: " + "; ".join(tried))
