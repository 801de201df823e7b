"""The reference page of the requirements: which ones hold, and which tests and checks show it.

Tests cite the ids of requirements in their docstrings, also as ranges ("CTX-1 to CTX-6") and lists ("RET-1, 2, 12"). The
sentences and what is missing are in `requirements.toml`.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from octavo_conformance.checks import REGISTRY
from octavo_conformance.requirements import CHAPTERS, REQUIREMENTS
from reference_markdown import table

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("requirements.toml")
TESTS = (
    "tests",
    "core/tests",
    "cli/tests",
    "conformance/tests",
    "contracts/tests",
    "sandbox/tests",
    "text/tests",
    "plugins",
)
MORE_CHAPTERS = {
    "INT": "Intelligence made in advance",
    "CTX": "Context for language models",
    "RET": "Retrieval tools",
    "MRK": "Markers",
    "UI": "Screens",
    "MET": "Metrics",
    "RES": "Deep research",
}
MAX_FILES = 6
"""Test files named for one requirement."""

_PREFIX = "|".join([*CHAPTERS, *MORE_CHAPTERS])
_CITATION = re.compile(rf"(?<![\w-])({_PREFIX})-(\d+)(?:(?:–|\sto\s)(?:\1-)?(\d+)\b)?((?:,\s(?:and\s)?\d+\b(?![-.]))*)")

Status = Literal["holds", "in part", "open"]


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """A requirement of the specification.

    Attributes:
        id: as tests cite it.
        text: one sentence.
        status: whether it holds.
        missing: what is missing; empty if it holds.
        tests: files with a test that cites it, relative to the repository, sorted.
        checks: ids of the checks of the conformance suite that verify it.
    """

    id: str
    text: str
    status: Status
    missing: str
    tests: tuple[str, ...]
    checks: tuple[str, ...]


def requirements() -> list[Requirement]:
    """Return all requirements, in the order of the specification."""
    cited = citations()
    return [
        Requirement(
            id=name,
            text=entry.get("text") or REQUIREMENTS[name],
            status="open" if "open" in entry else "in part" if "part" in entry else "holds",
            missing=entry.get("open") or entry.get("part") or "",
            tests=tuple(sorted(cited.get(name, ()))),
            checks=tuple(check.id for check in REGISTRY if name in check.spec),
        )
        for name, entry in entries().items()
    ]


def entries() -> Mapping[str, Mapping[str, str]]:
    """Return the rows of `requirements.toml`: id → `text`, `part`, `open`."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@cache
def citations() -> Mapping[str, set[str]]:
    """Return the test files that cite each id."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(file for folder in TESTS for file in (ROOT / folder).rglob("test_*.py")):
        if ".venv" not in path.parts:
            for name in ids_in(path.read_text(encoding="utf-8")):
                found[name].add(path.relative_to(ROOT).as_posix())
    return found


def ids_in(source: str) -> Iterator[str]:
    """Yield the ids that the docstrings of a Python source cite."""
    if not _CITATION.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from cited_in(ast.get_docstring(node) or "")


def cited_in(text: str) -> Iterator[str]:
    """Yield the ids that a text cites, with those inside ranges and lists."""
    for prefix, first, last, more in _CITATION.findall(text):
        numbers = [*range(int(first), int(last or first) + 1), *map(int, re.findall(r"\d+", more))]
        yield from (f"{prefix}-{number}" for number in numbers)


def requirements_page() -> list[str]:
    """Return the page: how many hold, and each requirement with its tests."""
    known = requirements()
    parts = [
        "# Requirements",
        "The requirements of Octavo's specification, in one sentence each. A requirement *holds* if tests of this repository "
        "show it; their docstrings cite its id. *In part* and *open* say what is missing. Checks are those of the "
        "[conformance suite](checks.md), which hold plugins and other hosts to the same; `octavo conformance explain ID` "
        "prints a check with its requirements.",
        table(("chapter", "holds", "in part", "open"), list(_counts(known))),
    ]
    before = ""
    for one in known:
        if (chapter := _chapter(one.id)) != before:
            parts.append(f"## {chapter}")
            before = chapter
        parts += [f"### {one.id}", one.text, *_status(one)]
    return parts


def _counts(known: Sequence[Requirement]) -> Iterator[tuple[str, ...]]:
    chapters = list(dict.fromkeys(_chapter(one.id) for one in known))
    for chapter in [*chapters, "all"]:
        within = [one.status for one in known if chapter in ("all", _chapter(one.id))]
        yield (chapter, *(str(within.count(status)) for status in ("holds", "in part", "open")))


def _status(one: Requirement) -> Iterator[str]:
    yield {"holds": "Holds.", "in part": f"Holds in part. {one.missing}", "open": f"Open. {one.missing}"}[one.status]
    if one.tests:
        more = f", and {len(one.tests) - MAX_FILES} more" if len(one.tests) > MAX_FILES else ""
        yield f"Tests: {', '.join(f'`{path}`' for path in one.tests[:MAX_FILES])}{more}."
    if one.checks:
        yield f"Checks: {', '.join(f'[{name}](checks.md#{name.lower()})' for name in one.checks)}."


def _chapter(name: str) -> str:
    prefix = name.partition("-")[0]
    return CHAPTERS.get(prefix) or MORE_CHAPTERS[prefix]
