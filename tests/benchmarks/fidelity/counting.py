"""Counts the parts that a converter kept: each is looked for by its pattern in the markdown."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from .converters import Converter, reads
from .documents import Made

Shares = dict[str, dict[str, dict[str, float]]]
"""Construct → format → converter → share of the parts kept, 0..1."""


def measure(documents: Iterable[Made], converters: Mapping[str, Converter]) -> Shares:
    """Convert every document with every converter.

    A converter that fails at a document has kept none of its parts; the failure is printed to stderr.
    """
    kept: dict[tuple[str, str, str], list[bool]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for made in documents:
            path = Path(folder, made.name)
            path.write_bytes(made.data)
            for name, convert in converters.items():
                if not reads(name, made.format):
                    continue
                found = kept.setdefault((made.construct, made.format, name), [])
                found += kept_parts(made, _read(convert, path, name))
    shares: Shares = {}
    for (construct, form, name), found in sorted(kept.items()):
        shares.setdefault(construct, {}).setdefault(form, {})[name] = round(sum(found) / len(found), 4)
    return shares


def kept_parts(made: Made, markdown: str) -> list[bool]:
    """Whether each part of a document stands in the markdown."""
    text = re.sub(r"\\(?=[_.()\[\]-])", "", markdown)
    return [re.search(part, text) is not None for part in made.parts]


def table(shares: Shares) -> str:
    """The shares as a markdown table: a row for each construct and format, the mean of all rows last."""
    names = list(dict.fromkeys(name for formats in shares.values() for found in formats.values() for name in found))
    names.sort(key=lambda name: (name != "octavo", name))
    rows = [
        [construct, form, *(f"{found[name]:.2f}" if name in found else "–" for name in names)]
        for construct, formats in shares.items()
        for form, found in formats.items()
    ]
    means = [mean_of(shares, name) for name in names]
    rows.append(["**mean**", "", *(f"**{mean:.2f}**" for mean in means)])
    lines = [["construct", "format", *names], ["---"] * (len(names) + 2), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def mean_of(shares: Shares, name: str) -> float:
    """The mean share of a converter over all constructs and formats."""
    found = [one[name] for formats in shares.values() for one in formats.values() if name in one]
    return sum(found) / len(found) if found else 0.0


def short_of(shares: Shares, name: str, aim: float) -> list[tuple[str, str, float]]:
    """Construct, format and share of each row in which a converter keeps less than the aim."""
    return [
        (construct, form, found[name])
        for construct, formats in shares.items()
        for form, found in formats.items()
        if name in found and found[name] < aim
    ]


def _read(convert: Converter, path: Path, name: str) -> str:
    try:
        return convert(path)
    except Exception as error:  # noqa: BLE001 - a peer's exceptions are its own, and one failure must not end the run
        print(f"{name} failed at {path.name}: {type(error).__name__}: {error}", file=sys.stderr)
        return ""
