"""Run the mutants of what makes digests trustworthy: `python -m tests.mutation`, or `tox -e mutation`.

Each mutant is a module with one small fault. A test has to fail for it; then it is killed. One that survives has to be
listed in `survivors.toml` with the reason why no test can or should tell it from the real code. The run fails when a mutant
survives that is not listed, and when a listed one is killed or made no more.
"""

from __future__ import annotations

import argparse
import os
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import Phase, settings

from .mutants import Mutant, mutants_of
from .trial import begin, next_end, rehearse

ROOT = Path(__file__).resolve().parents[2]
CONFIG = Path(__file__).with_name("modules.toml")
SURVIVORS = Path(__file__).with_name("survivors.toml")
Key = tuple[str, str, str]


@dataclass
class Tally:
    """What became of a module's mutants."""

    made: int = 0
    timed_out: int = 0
    survived: list[Key] = field(default_factory=list)


def main() -> int:
    """Run what the command line asks for; 0 where all mutants end as they should."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("modules", nargs="*", help="names of modules, or their ends; by default all")
    parser.add_argument("-n", "--at-once", type=int, default=1, help="trials at a time")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.path[:0] = [str(ROOT / part / "src") for part in ("contracts", "sandbox", "text", "core")]
    # The same examples each time; one that fails is enough, it need not be the smallest.
    settings.register_profile(
        "mutation", derandomize=True, database=None, deadline=None, phases=[Phase.explicit, Phase.generate]
    )
    settings.load_profile("mutation")

    config = tomllib.loads(CONFIG.read_text(encoding="utf-8"))
    listed = _listed(tomllib.loads(SURVIVORS.read_text(encoding="utf-8")))
    tallies: dict[str, Tally] = {}
    for module in config["module"]:
        name = module["name"]
        if not arguments.modules or name.endswith(tuple(arguments.modules)):
            tallies[name] = _tally(module, config, at_once=arguments.at_once)
            _print_row(name, tallies[name])
    found = Counter(key for tally in tallies.values() for key in tally.survived)
    due = Counter({key: count for key, count in listed.items() if key[0] in tallies})
    _print_all("Survived, and not listed:", found - due)
    _print_all("Listed, but killed or made no more:", due - found)
    return 0 if found == due else 1


def _tally(module: dict[str, Any], config: dict[str, Any], *, at_once: int) -> Tally:
    """Try each mutant of a module."""
    name, file = module["name"], ROOT / module["file"]
    tests = [*module["tests"], *(f"--deselect={test}" for test in config["deselect"])]
    source = file.read_text(encoding="utf-8")
    usual = rehearse(tests, apart_from=ROOT / Path(module["file"]).parts[0])
    if usual is not None:
        begin(usual, module=name, file=file, code=source)
    if usual is None or not next_end()[1].passed:
        sys.exit(f"the tests of {name} fail without any mutant")
    tally = Tally()
    running: dict[int, Mutant] = {}
    for mutant in _and_then_none(mutants_of(name, source, without=config["without"])):
        while running and (mutant is None or len(running) >= at_once):
            pid, ended = next_end()
            ended_mutant = running.pop(pid)
            tally.timed_out += ended.timed_out
            if ended.passed:
                tally.survived.append(ended_mutant.key)
        if mutant is not None:
            tally.made += 1
            running[begin(usual, module=name, file=file, code=mutant.code)] = mutant
    return tally


def _and_then_none(mutants: Iterator[Mutant]) -> Iterator[Mutant | None]:
    yield from mutants
    yield None


def _listed(survivors: dict[str, Any]) -> Counter[Key]:
    return Counter(
        (entry["module"], entry["was"], becomes) for entry in survivors["survivor"] for becomes in entry["becomes"]
    )


def _print_row(name: str, tally: Tally) -> None:
    killed = tally.made - len(tally.survived)
    print(
        f"{name:28} {tally.made:5} mutants {killed:5} killed ({tally.timed_out} by their time) "
        f"{len(tally.survived):4} survived",
        flush=True,
    )


def _print_all(title: str, keys: Counter[Key]) -> None:
    if keys:
        print(f"\n{title}")
    for module, was, becomes in keys.elements():
        print(f"\n  {module}\n  - {was}\n  + {becomes}")


if __name__ == "__main__":
    sys.exit(main())
