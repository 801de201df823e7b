"""Single claims about a text, as people note them: what must stand in it, what must not, in which order, in which cell.

Two dialects: lists under the names of claims, and the tests of olmOCR-bench.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rapidfuzz import fuzz

from .markup import Grid, structure
from .reading import Reading
from .words import normalised

_PLAIN = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "−": "-"})


def claims_score(claims: Mapping[str, Any], reading: Reading) -> float | None:
    """The share of the claims that hold; None where there is none that is known."""
    held = list(_listed(claims, reading)) + list(_tested(claims.get("tests", ()), reading))
    return sum(held) / len(held) if held else None


def _listed(claims: Mapping[str, Any], reading: Reading) -> Iterator[bool]:
    text = _plain(reading.text)
    for one in claims.get("must_include", ()):
        yield _plain(one) in text
    for one in claims.get("must_not_include", ()):
        # An empty text holds nothing that it must not: that is no merit.
        yield bool(text) and _plain(one) not in text
    for one in claims.get("any_of", ()):
        yield any(_plain(choice) in text for choice in ([one] if isinstance(one, str) else one))
    for before, after in _pairs(claims.get("order", ())):
        yield -1 < text.find(_plain(before)) < text.rfind(_plain(after))
    for value in (claims.get("fields") or {}).values():
        yield _spaceless(str(value)) in _spaceless(text)
    if claims.get("headings"):
        found = {(heading.level, _plain(heading.text)) for heading in structure(reading.markdown).headings}
        for one in claims["headings"]:
            yield (one["level"], _plain(one["text"])) in found
    if "page_count" in claims:
        yield len(reading.page_texts) == claims["page_count"]


def _tested(tests: Any, reading: Reading) -> Iterator[bool]:
    text = _plain(reading.text)
    for test in tests:
        kind = test["type"]
        if kind == "present":
            yield _found(test["text"], text, test)
        elif kind == "absent":
            yield bool(text) and not _found(test["text"], text, test)
        elif kind == "order":
            yield -1 < _place(test["before"], text, test) < _place(test["after"], text, test)
        elif kind == "math":
            yield _spaceless(test["math"]) in _spaceless(reading.markdown)
        elif kind == "baseline":
            yield reading.conversion is not None and len(text) <= test.get("max_length", len(text))
        elif kind == "table":
            yield any(_cell_holds(test, grid) for grid in structure(reading.markdown).tables)


def _found(wanted: str, text: str, test: Mapping[str, Any]) -> bool:
    if test.get("first_n") or test.get("last_n"):
        first, last = test.get("first_n") or 0, test.get("last_n") or 0
        text = text[:first] + (text[-last:] if last else "")
    return _place(wanted, text, test) >= 0


def _place(wanted: str, text: str, test: Mapping[str, Any]) -> int:
    """Where a text stands, with as many edits as the test allows; -1 where it does not."""
    wanted = _plain(wanted)
    place = text.find(wanted)
    allowed = test.get("max_diffs") or 0
    if place >= 0 or not allowed or not text:
        return place
    match = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=100 * (1 - 2 * allowed / max(1, len(wanted))))
    return match.dest_start if match else -1


def _cell_holds(test: Mapping[str, Any], grid: Grid) -> bool:
    """Whether a cell has the neighbour and the headings that the test names."""
    wanted = _plain(test["cell"])
    cells = [[_plain(cell) for cell in row] for row in grid]
    return any(
        cell == wanted and _neighbours_hold(test, cells, row, column)
        for row, line in enumerate(cells)
        for column, cell in enumerate(line)
    )


def _neighbours_hold(test: Mapping[str, Any], cells: list[list[str]], row: int, column: int) -> bool:
    above = [line[column] for line in cells[:row] if column < len(line)]
    below = [line[column] for line in cells[row + 1 :] if column < len(line)]
    line = cells[row]
    near = {"up": above[-1:], "down": below[:1], "left": line[:column][-1:], "right": line[column + 1 :][:1]}
    named = {"top_heading": above, "left_heading": line[:column]}
    return all(_plain(test[name]) in found for name, found in (near | named).items() if test.get(name))


def _pairs(order: Any) -> Iterator[tuple[str, str]]:
    for one in order:
        parts = [one["before"], one["after"]] if isinstance(one, Mapping) else list(one)
        yield from itertools.pairwise(parts)


def _plain(text: str) -> str:
    return normalised(text).translate(_PLAIN)


def _spaceless(text: str) -> str:
    return re.sub(r"[\s$\\]+", "", _plain(text)).casefold()
