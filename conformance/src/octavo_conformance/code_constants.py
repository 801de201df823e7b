"""The constants in a plugin's own code: texts, patterns and numbers by which it may tell one document from another.

A plugin that treats some documents in another way than most has to recognise them, and what it recognises them by stands in
its code. The suite reads the code without running it, and writes documents that have what the code looks for.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from rstr import Rstr

_Kind = TypeVar("_Kind", str, int)
_TEXTS, _NUMBERS = 240, 40
"""Texts and numbers that are kept at most; of more, some are drawn."""
_LONGEST = 60
"""Characters of a text that a person might write within a line."""
_LEAST, _MOST = 2, 1_000_000
"""The numbers between which a limit of a plugin lies."""
_TRIES, _EACH = 12, 3
"""Texts that are made for a pattern, and how many of them are kept."""
_REPEATED = 3
"""Times that a part of a pattern stands in a text more often than it has to."""
_IS_PATTERN = re.compile(
    r"\\[a-zA-Z.()\[\]$+*?|]|\[[^\]]+\]|[)\]\w.][+*?](?!\w)|\(\?|\w\|\w|\.\*|\{\d",
)
"""What patterns have and other texts rarely."""
_LETTERS = "abcdefghiklmnoprstuvw"
_SHARED = ("octavo", "octavo_conformance")
"""Packages that have many plugins: of these the module of the plugin alone is its own code."""


@dataclass(frozen=True)
class CodeConstants:
    """What a plugin's own code may look for in a document.

    Attributes:
        texts: its texts, and texts that its patterns match, each of one line.
        numbers: its whole numbers from 2 to a million, in ascending order.
    """

    texts: tuple[str, ...]
    numbers: tuple[int, ...]


def read_constants(module: str, *, seed: int, import_paths: Sequence[Path] = ()) -> CodeConstants:
    """Read the constants of the package of a module from its source files, without importing it.

    Args:
        module: the module with the plugin's hooks.
        seed: decides what is made for a pattern, and what is drawn of many constants.
        import_paths: folders in which the package is looked up first.

    Returns:
        The constants; none of a package without source files.
    """
    values = [value for path in _sources(module, import_paths) for value in _values(path)]
    dice = Random(seed)
    made = (text.strip() for value in dict.fromkeys(values) if isinstance(value, str) for text in _written(value, dice))
    texts = list(dict.fromkeys(text for text in made if 0 < len(text) <= _LONGEST and text.isprintable()))
    numbers = sorted({value for value in values if isinstance(value, int) and _LEAST <= value <= _MOST})
    return CodeConstants(tuple(_drawn(texts, _TEXTS, dice)), tuple(sorted(_drawn(numbers, _NUMBERS, dice))))


def _drawn(found: list[_Kind], most: int, dice: Random) -> list[_Kind]:
    return found if len(found) <= most else dice.sample(found, most)


def _sources(module: str, import_paths: Sequence[Path]) -> list[Path]:
    """Return the source files that are a plugin's own code."""
    top, *rest = module.split(".")
    package = next((folder / top for folder in import_paths if (folder / top).is_dir()), None) or _installed(top)
    if package is None or not package.is_dir():
        return [package] if package is not None else []
    if top not in _SHARED:
        return sorted(package.rglob("*.py"))
    path = package.joinpath(*rest)
    return [one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file()]


def _installed(top: str) -> Path | None:
    """Return the folder of an installed package, or the file of a module; None if there is none."""
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent if spec.submodule_search_locations is not None else Path(spec.origin)


def _values(path: Path) -> Iterator[str | int]:
    """Yield the texts and whole numbers of a source file, without its docstrings."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a plugin's code may have escapes that Python will refuse one day
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documentation:
            value = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
            if isinstance(value, str | int) and not isinstance(value, bool):
                yield value


class _Sampler(Rstr):
    """Makes texts that a pattern matches, with few repetitions: the library alone repeats up to a hundred times."""

    def _handle_repeat(self, start_range: int, end_range: int, value: Any) -> str:
        return super()._handle_repeat(start_range, min(end_range, start_range + _REPEATED), value)


def _written(value: str, dice: Random) -> list[str]:
    """Return what a document may have of a text in the code: the text itself, or what it matches if it is a pattern."""
    if not _IS_PATTERN.search(value):
        return [value]
    try:
        pattern = re.compile(value)
    except re.error:
        return [value]
    sampler = _Sampler(dice, word=_LETTERS, printable=f"{_LETTERS} ", nonwhitespace=_LETTERS, nondigits=_LETTERS)
    found: set[str] = set()
    for _ in range(_TRIES):
        try:
            made = sampler.xeger(value)
        except (KeyError, IndexError, TypeError, ValueError, RecursionError):
            break  # the pattern has something for which the library makes nothing
        if pattern.search(made):
            found.add(made)
    return sorted(found, key=lambda text: (len(text), text))[:_EACH]
