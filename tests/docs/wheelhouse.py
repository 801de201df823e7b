"""An environment as a third party has it: empty but for what the index would give, with our wheels waiting to be installed.

Nothing is fetched. What the wheels require of others is copied from the environment that the tests run in.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from collections.abc import Collection, Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
OURS = "octavo"


def build_wheels(folders: Iterable[str], *, into: Path) -> None:
    """Build distributions of this repository as wheels.

    Args:
        folders: their folders, from the repository's root.
        into: where the wheels go.
    """
    for folder in folders:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(into)]
        built = subprocess.run(command, cwd=ROOT / folder, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stdout + built.stderr


def make_environment(place: Path, *, wheels: Path, requires: Iterable[str]) -> Path:
    """Make an environment in which `pip install` takes our wheels and finds everything else installed.

    Args:
        place: its folder.
        wheels: the folder of the wheels.
        requires: distributions of others that are there, with all that they require.

    Returns:
        The folder of its programs.
    """
    venv.create(place, with_pip=True, symlinks=True)
    programs = place / "bin"
    asked = [programs / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip())
    for found in closure(requires):
        copy_distribution(found, into=site)
    options = f"--disable-pip-version-check -q --no-index --find-links {wheels}"
    pip = programs / "pip"
    pip.unlink()
    pip.write_text(
        f'#!/bin/sh\nword=$1; shift\nexec {programs}/python -m pip "$word" {options} --no-build-isolation "$@"\n',
        encoding="utf-8",
    )
    pip.chmod(0o755)
    return programs


def requirements_of(folder: str) -> Iterator[str]:
    """What an installed distribution of ours requires of others, through our own distributions and their extras too."""
    waiting, seen = [Requirement(folder)], set()
    while waiting:
        one = waiting.pop()
        seen.add(str(one))
        for other in _required(distribution(one.name), one.extras):
            if canonicalize_name(other.name).partition("-")[0] != OURS:
                yield canonicalize_name(other.name)
            elif str(other) not in seen:
                waiting.append(other)


def closure(names: Iterable[str]) -> list[Distribution]:
    """Distributions with everything they require here, as far as it is installed."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(name) for name in names]
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        if name not in found:
            try:
                found[name] = distribution(name)
            except PackageNotFoundError:
                continue  # required on other systems, or not needed by what runs here
            waiting += _required(found[name], one.extras)
    return list(found.values())


def copy_distribution(found: Distribution, *, into: Path) -> None:
    """Copy what a distribution put into its site-packages; its programs stay behind."""
    tops = {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}
    for top in sorted(tops):
        source, target = Path(str(found.locate_file(top))), into / top
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.is_file():
            shutil.copy2(source, target)


def _required(found: Distribution, extras: Collection[str]) -> Iterator[Requirement]:
    """What a distribution requires, without extras and with each of those that are asked for."""
    for requirement in map(Requirement, found.requires or ()):
        asked = ("", *extras)
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in asked):
            yield requirement
