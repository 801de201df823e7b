"""Runs the conformance suite over every engine of this repository.

    python tests/docs/support_matrix.py [DIR]            write the figures into docs/reference/support-matrix.json
    python tests/docs/support_matrix.py --check [DIR]    write nothing; end with 1 where an engine fails or a figure differs

With DIR each engine's report.json, junit.xml and badge.txt are written there. Every engine has to be installed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

import conformance_pages
from octavo_cli import main as octavo
from octavo_conformance.support import Support, read_supports
from octavo_contracts import MANIFEST_NAME, PluginManifest

ROOT = Path(__file__).resolve().parents[2]
LEVEL = 3
SEED = 2026
"""Seed of the fresh documents: the same commit gives the same figures."""


def main(arguments: Sequence[str]) -> int:
    """Run the suite over every engine, then write or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        failed = [name for name in engines() if _run(name, folder / name) != 0]
        found = read_supports([folder])
        problems = [f"{name} fails: {', '.join(_unexpected(folder / name)) or 'no report'}" for name in failed]
    if given.check:
        committed = {one.plugin: one for one in conformance_pages.committed_supports()}
        problems += [
            f"{one.plugin} differs from {conformance_pages.SUPPORT.name}: {difference}"
            for one in found
            if (difference := _difference(one, committed.get(one.plugin)))
        ]
    else:
        rows = {"supports": [json.loads(one.to_json()) for one in found]}
        conformance_pages.SUPPORT.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stdout.write("".join(f"{problem}\n" for problem in problems) or f"{len(found)} engines as expected\n")
    return int(bool(problems))


def engines() -> list[str]:
    """Names of this repository's engines that the extras `all` and `audio` install."""
    found = sorted((ROOT / "plugins" / "engines").glob(f"*/src/*/{MANIFEST_NAME}"))
    manifests = [PluginManifest.from_toml(path.read_text(encoding="utf-8")) for path in found]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    heavy = (*extras["docling"], *extras["models"])
    left_out = {wanted.partition(" ")[0].removeprefix("octavo-") for wanted in heavy}
    return [manifest.name for manifest in manifests if manifest.name not in left_out]


def figures(one: Support) -> dict[str, object]:
    """What must not differ from machine to machine: everything but versions, and the words of known failures."""
    data = json.loads(one.to_json())
    for name in ("plugin_version", "engine", "contract", "suite"):
        del data[name]
    data["known"] = sorted([failure["check"], *failure["vectors"]] for failure in data["known"])
    return dict(data)


def _difference(one: Support, committed: Support | None) -> str:
    """Say in which figures a run differs from those committed, or nothing."""
    if committed is None:
        return "it is not there"
    before, now = figures(committed), figures(one)
    return "; ".join(f"{name} was {before[name]}, is {now[name]}" for name in before if before[name] != now[name])


def _unexpected(folder: Path) -> list[str]:
    """Return the outcomes of a run that are not as expected, for the end of a long log."""
    report = folder / "report.json"
    outcomes = json.loads(report.read_text(encoding="utf-8"))["outcomes"] if report.is_file() else []
    return [
        f"{one['check']} {one['status']} {one['vector'] or ''}: {one['reason']}"
        for one in outcomes
        if one["status"] in {"failed", "xpass"}
    ]


def _run(name: str, folder: Path) -> int:
    (expectations,) = (ROOT / "plugins" / "engines").glob(f"*-{name}/octavo-conformance.toml")
    options = ["--level", str(LEVEL), "--seed", str(SEED), "--expectations", str(expectations), "--report", str(folder)]
    return octavo(["conformance", "run", name, *options])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
