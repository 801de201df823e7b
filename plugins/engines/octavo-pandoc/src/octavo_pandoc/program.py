"""The Pandoc program: where it is, which version, and one run of it.

It gets the document on its standard input and gives its syntax tree as JSON on the standard output: no temporary file
and no shell. `--sandbox` keeps its readers from opening any file that a document names.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from octavo_contracts import (
    ContentTooLarge,
    ConversionTimeout,
    ConverterCrashed,
    MemoryExceeded,
    SourceCorrupt,
    ToolUnavailable,
)

PLUGIN = "pandoc"
COMMAND = "pandoc"
INSTALL = "Run: apt-get install pandoc (Debian, Ubuntu) or brew install pandoc (macOS)"
OLDEST = (2, 15)
"""The first version with `--sandbox`."""
HEAP_MB = 1536
"""Pandoc's own heap, MiB; within the memory that the host grants a plugin by default."""
MAX_TREE_BYTES = 128 << 20
"""Largest syntax tree; as Python objects it takes about eight times as much memory."""

_HEAP_EXHAUSTED = 251
_VERSION = re.compile(r"pandoc(?:\.exe)?\s+(\d+(?:\.\d+)*)")
_ASK_SECONDS = 20.0

_NOT_LOADED = re.compile(
    r"^\[WARNING\] Could not load include file (.+?)(?: at (?:\S+ )?line \d+ column \d+)?$", re.MULTILINE
)
_SKIPPED = re.compile(r"^\[INFO\] Skipped '(.*?)' at (?:\S+ )?line \d+ column \d+$", re.MULTILINE | re.DOTALL)

Tree = dict[str, Any]
"""Pandoc's JSON: `blocks`, `meta` and the version of their shape."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What Pandoc said.

    Attributes:
        tree: the syntax tree.
        not_loaded: names of the files that the document includes and that were not opened, each once.
        skipped: pieces of the source that Pandoc does not know and left out, layout among them.
    """

    tree: Tree
    not_loaded: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


def find_program() -> str:
    """The program's path.

    Raises:
        ToolUnavailable: it is not on the PATH, or too old.
    """
    found = shutil.which(COMMAND)
    if found is None:
        raise ToolUnavailable(f"the program {COMMAND!r} is not on the PATH", plugin=PLUGIN, remedy=INSTALL)
    if tuple(map(int, version(found).split(".")))[:2] < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ToolUnavailable(
            f"Pandoc {version(found)} is older than {oldest}, the first that can be kept from other files",
            plugin=PLUGIN,
            remedy=INSTALL,
        )
    return found


@cache
def version(program: str) -> str:
    """Its version, such as '3.1.11'; '0' where it does not say."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, timeout=_ASK_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolUnavailable(f"{program} --version failed: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    found = _VERSION.search(done.stdout.decode("utf-8", "replace"))
    return found.group(1) if found else "0"


def run(program: str, *, reader: str, document: bytes, seconds: float, work_dir: Path) -> Answer:
    """Let it read a document.

    Args:
        program: its path.
        reader: its name of the format.
        document: the bytes.
        seconds: it is killed after so many.
        work_dir: where it runs.

    Returns:
        The syntax tree, and what is missing from it.

    Raises:
        SourceCorrupt: it cannot read the document; its last words are in the message.
        ContentTooLarge: the tree is larger than `MAX_TREE_BYTES`, or nested too deeply.
        ConversionTimeout: it was killed.
        MemoryExceeded: its heap was not enough.
        ConverterCrashed: it died.
    """
    limits = ["+RTS", f"-M{HEAP_MB}M", "-RTS"]
    arguments = ["--sandbox", "--from", reader, "--to", "json", "--standalone", "--track-changes=all", "--verbose"]
    try:
        done = subprocess.run(
            [program, *limits, *arguments],
            input=document,
            capture_output=True,
            timeout=max(0.1, seconds),
            cwd=work_dir,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ConversionTimeout(f"Pandoc took longer than {seconds:.0f} s", plugin=PLUGIN) from error
    except OSError as error:
        raise ToolUnavailable(f"{program} cannot be started: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    if done.returncode == _HEAP_EXHAUSTED:
        raise MemoryExceeded(f"Pandoc wanted more than {HEAP_MB} MiB", plugin=PLUGIN)
    if done.returncode < 0:
        raise ConverterCrashed(f"Pandoc was ended by signal {-done.returncode}", plugin=PLUGIN)
    if done.returncode:
        raise SourceCorrupt(f"Pandoc cannot read it as {reader}: {_last_words(done.stderr)}", plugin=PLUGIN)
    told = done.stderr.decode("utf-8", "replace")
    not_loaded = dict.fromkeys(_NOT_LOADED.findall(told))
    return Answer(tree=_tree(done.stdout), not_loaded=tuple(not_loaded), skipped=tuple(_SKIPPED.findall(told)))


def _tree(output: bytes) -> Tree:
    if len(output) > MAX_TREE_BYTES:
        raise ContentTooLarge(f"the document's tree has more than {MAX_TREE_BYTES >> 20} MiB", plugin=PLUGIN)
    try:
        tree = json.loads(output)
    except RecursionError as error:
        raise ContentTooLarge("the document is nested too deeply", plugin=PLUGIN) from error
    except ValueError as error:
        raise ConverterCrashed(f"Pandoc's answer is no JSON: {error}", plugin=PLUGIN) from error
    return tree  # type: ignore[no-any-return]  # Pandoc's JSON is always an object


def _last_words(stderr: bytes) -> str:
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines()]
    return " ".join(line for line in lines if line and not line.startswith("[INFO]"))[-300:] or "it did not say why"
