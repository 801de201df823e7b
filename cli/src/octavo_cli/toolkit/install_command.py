"""Commands that install a distribution of Octavo the way this Octavo was installed: from a checkout, a wheelhouse or an index."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_NAME = re.compile(r"([A-Za-z0-9][\w.-]*)(\[[\w,-]+\])?")
_COMMAND = re.compile(r"pip install((?: +(?:'[^']+'|[A-Za-z0-9][\w.\[\],<>=~!-]*[\w\]]))+)")
"""`pip install` and its requirements; options end it."""
_TOO_LARGE = ("run", "models")
"""Extras that are not named for one of their distributions: README's first command, and one of several sets of torch."""
_PLACES = ("plugins/features", "plugins/engines", "")


def install_command(requirements: Iterable[str]) -> str:
    """The command that installs distributions, as the user would type it in the working folder.

    Distributions of Octavo come from where this one came: from a checkout, by the extra that README names for them or else
    from their folders with those of the checkout that they need and are not installed; from the folder of a wheel, beside
    the index; else from the index. Environments without pip, as uv makes them, have `uv pip install`.

    Args:
        requirements: names, with extras where they are wanted.
    """
    extras = {one: _extra_of(one) for one in requirements}
    named = ",".join(dict.fromkeys(extra for extra in extras.values() if extra))
    root = [f"{_shown(checkout)}[{named}]"] if named and (checkout := _checkout()) else []
    others = (word for one, extra in extras.items() if not extra for word in _words(one))
    words = list(dict.fromkeys([*root, *others]))
    program = "pip install" if find_spec("pip") is not None else "uv pip install"
    links = f" --find-links {shlex.quote(str(_wheelhouse()))}" if _wheelhouse() is not None else ""
    return f"{program}{links} {' '.join(map(shlex.quote, words))}"


def fitting(text: str) -> str:
    """A message in which each `pip install octavo-…` is the command that works here."""
    return _COMMAND.sub(_fitted, text)


def _fitted(found: re.Match[str]) -> str:
    words = shlex.split(found[1])
    return install_command(words) if any(word.startswith("octavo") for word in words) else found[0]


def _extra_of(requirement: str) -> str:
    """The extra that installs a distribution from the checkout, as README and the docs name it; empty if there is none."""
    root, wanted = _checkout(), _NAME.match(requirement)
    if root is None or wanted is None:
        return ""
    project = _project(root)
    for extra, members in project.get("optional-dependencies", {}).items():
        given = [_NAME.match(one) for one in members]
        if extra in _TOO_LARGE or any(one is not None and one[1] == project["name"] for one in given):
            continue  # each other extra of extras has more than is missing
        if any(one is not None and one[1] == wanted[1] and _options(wanted) <= _options(one) for one in given):
            return str(extra)
    return ""


def _options(requirement: re.Match[str]) -> set[str]:
    return set(filter(None, (requirement[2] or "").strip("[]").split(",")))


def _words(requirement: str) -> list[str]:
    """What is given to pip for a requirement: a path in a checkout, and what of the checkout it needs; else its name."""
    match = _NAME.match(requirement)
    root = _checkout()
    if root is None or match is None or not match[1].startswith("octavo"):
        return [requirement]
    folder = _folder_of(root, match[1])
    if folder is None:
        return [requirement]
    words = [f"{_shown(folder)}{match[2] or ''}"]
    for needed in _lacking(folder):
        words += _words(needed)
    return words


def _lacking(folder: Path) -> list[str]:
    """The distributions of Octavo that a distribution of a checkout needs and that are not installed."""
    project = _project(folder)
    names = [match[1] for one in project.get("dependencies", ()) if (match := _NAME.match(one))]
    return [name for name in names if name.startswith("octavo") and not _is_installed(name)]


@cache
def _project(folder: Path) -> dict[str, Any]:
    """The table `project` of a folder's pyproject.toml: one command asks for that of the checkout once for each plugin."""
    found: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def _is_installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _folder_of(root: Path, name: str) -> Path | None:
    for place in _PLACES:
        folder = root / place / (name if place else name.removeprefix("octavo-"))
        if (folder / "pyproject.toml").is_file():
            return folder
    return root / "core" if name == "octavo" else None


def _shown(folder: Path) -> str:
    """A folder as pip takes it for one, relative where it lies below the working folder."""
    here = Path.cwd()
    if folder == here:
        return "."
    return f"./{folder.relative_to(here).as_posix()}" if folder.is_relative_to(here) else str(folder)


def _checkout() -> Path | None:
    """The checkout that this Octavo was installed from, where it is still there."""
    url, kind = _origin()
    path = _local_path(url) if kind == "dir_info" else None
    if path is None or path.name != "core" or not (path.parent / "contracts" / "pyproject.toml").is_file():
        return None
    return path.parent


def _wheelhouse() -> Path | None:
    """The folder of the wheel that this Octavo was installed from, where it is still there."""
    url, kind = _origin()
    path = _local_path(url) if kind == "archive_info" else None
    return path.parent if path is not None and path.parent.is_dir() else None


def _local_path(url: str) -> Path | None:
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


@cache
def _origin() -> tuple[str, str]:
    """URL that the distribution `octavo` was installed from, and `dir_info` or `archive_info`; empty for an index (PEP 610)."""
    try:
        text = metadata.distribution("octavo").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return "", ""
    if not text:
        return "", ""
    record = json.loads(text)
    kind = next((kind for kind in ("dir_info", "archive_info") if kind in record), "")
    return str(record.get("url", "")), kind
