"""The documents that a command line names: files, folders, URLs, patterns and standard input, each with its place in the output."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from octavo.documents.file_patterns import fitting_files, fixed_folder, is_pattern
from octavo_contracts import UsageError
from octavo_sandbox.egress.targets import is_url
from octavo_sandbox.filesystem.file_walk import Skipped, Walk
from octavo_sandbox.filesystem.output_names import safe_name

STDIN = "-"


@dataclass(frozen=True, kw_only=True)
class Input:
    """One document that was named or found.

    Attributes:
        source: a path, a URL, or `-`.
        place: where it stands in a mirrored tree, with its own name.
    """

    source: str
    place: PurePosixPath

    @property
    def path(self) -> str | None:
        """Its path; None for a URL and for standard input."""
        return None if self.source == STDIN or is_url(self.source) else self.source


@dataclass(frozen=True, kw_only=True)
class FoundInputs:
    """What the arguments lead to.

    Attributes:
        inputs: the documents, each once.
        skipped: what a folder holds and is not taken.
        is_many: whether a folder or a pattern was named, or more than one document.
    """

    inputs: tuple[Input, ...]
    skipped: tuple[Skipped, ...]
    is_many: bool


def find_inputs(arguments: Sequence[str], *, stdin_name: str, without: str | None = None) -> FoundInputs:
    """The documents that arguments name.

    Args:
        arguments: paths, folders, URLs, patterns such as `'papers/**/*.pdf'`, and `-`.
        stdin_name: the name of what standard input brings.
        without: a folder that is not walked into: that of the output.

    Raises:
        SourceMissing: a pattern fits nothing.
        UsageError: `-` is given twice.
    """
    if list(arguments).count(STDIN) > 1:
        raise UsageError("standard input can be read once")
    found: dict[str, Input] = {}
    skipped: list[Skipped] = []
    folders = [argument for argument in arguments if _is_folder(argument)]
    for argument in arguments:
        for one in _named(argument, stdin_name, skipped, without, is_only=len(folders) == 1):
            found.setdefault(_identity(one), one)
    single = len(arguments) == 1 and not folders and not is_pattern(arguments[0])
    return FoundInputs(inputs=tuple(found.values()), skipped=tuple(skipped), is_many=not single)


def input_name(argument: str, *, stdin_name: str) -> str:
    """The name of one document: of a file, of the page of a URL, or of what standard input brings."""
    if argument == STDIN:
        return stdin_name
    return _url_name(argument) if is_url(argument) else os.path.basename(argument)


def _named(
    argument: str, stdin_name: str, skipped: list[Skipped], without: str | None, *, is_only: bool
) -> Iterator[Input]:
    if argument == STDIN:
        yield Input(source=STDIN, place=safe_name(stdin_name))
    elif is_url(argument):
        yield Input(source=argument, place=safe_name(_url_name(argument)))
    elif _is_folder(argument):
        root = PurePosixPath() if is_only else safe_name(os.path.basename(os.path.abspath(argument)))
        yield from _in_folder(argument, root, skipped, without)
    elif is_pattern(argument):
        yield from _fitting(argument)
    else:
        yield Input(source=argument, place=safe_name(os.path.basename(argument)))


def _in_folder(folder: str, root: PurePosixPath, skipped: list[Skipped], without: str | None) -> Iterator[Input]:
    walk = Walk((folder,), library=without)
    for path in walk:
        yield Input(source=path, place=root / _place_below(folder, path))
    skipped += walk.skipped


def _fitting(pattern: str) -> Iterator[Input]:
    base = fixed_folder(pattern) or "."
    for path in fitting_files(pattern):
        yield Input(source=path, place=_place_below(base, path))


def _place_below(folder: str, path: str) -> PurePosixPath:
    """The path relative to the folder; a folder that may not be listed stands for itself, by its name."""
    relative = os.path.relpath(path, folder)
    return (
        safe_name(os.path.basename(os.path.abspath(path)))
        if relative == os.curdir
        else PurePosixPath(Path(relative).as_posix())
    )


def _is_folder(argument: str) -> bool:
    return argument != STDIN and not is_url(argument) and os.path.isdir(argument)


def _identity(one: Input) -> str:
    return one.source if one.path is None else os.path.abspath(one.path)


def _url_name(url: str) -> str:
    parts = urlsplit(url)
    path = PurePosixPath(unquote(parts.path)).name
    return path or parts.hostname or "page"
