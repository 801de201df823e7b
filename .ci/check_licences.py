"""Hold what Octavo installs to licences that its users can accept: `check_licences.py [ROOT …]`.

Walks the installed requirements of each root (`octavo-workspace[all]` unless told otherwise), prints a table, and ends
with 1 where a licence is neither allowed nor reviewed. Copyleft that reaches the program that imports it (GPL, AGPL) is
refused; weaker copyleft stands only where a decision record says why (docs/decisions/0009-licences.md).
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "HPND",
    "ISC",
    "MIT",
    "MIT-0",
    "MIT-CMU",
    "MPL-2.0",  # of a file: what imports it keeps its own licence
    "PSF-2.0",
    "Python-2.0",
    "Unlicense",
    "ZPL-2.1",
    "Zlib",
}

REVIEWED = {
    "dirtyjson": ("Academic Free License (AFL) AND MIT", "MIT"),
    "pypdfium2": ("BSD-3-Clause, Apache-2.0, dependency licenses", "BSD-3-Clause AND Apache-2.0"),
    "regex": ("Apache-2.0 AND CNRI-Python", "Apache-2.0 AND CNRI-Python"),
    "tld": ("MPL-1.1 OR GPL-2.0-only OR LGPL-2.1-or-later", "MPL-1.1"),
}
"""Distribution → (its own words when they were read, licence it is used under). The decision record says why."""

HOLDS_COPYLEFT = {
    "av": "its wheels hold x264 and x265, which are GPL-2.0-or-later",
}
"""Distribution → what its wheels hold that its own words do not say, and that no program here may import by default."""

CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "CMU License (MIT-CMU)": "MIT-CMU",
    "Historical Permission Notice and Disclaimer (HPND)": "HPND",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "Zope Public License": "ZPL-2.1",
    "zlib/libpng License": "Zlib",
}
"""Trove's names → SPDX. A classifier that is not here is not understood, so it is not allowed."""

TEXTS = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license 2.0": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "mit license": "MIT",
    "the mit license": "MIT",
}
"""What people write into `License:`, in lower case → SPDX."""


def main(roots: list[str]) -> int:
    """Print the table; 1 where something is not allowed or not installed."""
    rows, missing = [], []
    for name, extras in sorted(closure([Requirement(root) for root in roots]).items()):
        try:
            rows.append(judge(distribution(name)))
        except PackageNotFoundError:
            missing.append(f"{name} ({', '.join(sorted(extras))})" if extras else name)
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        print("  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]).rstrip())
    refused = [row for row in rows if row[3].startswith("REFUSED")]
    print(f"{len(rows)} distributions, {len(refused)} refused")
    if missing:
        print(f"required and not installed, so not looked at: {', '.join(missing)}")
    return bool(refused or missing)


def closure(roots: list[Requirement]) -> dict[str, set[str]]:
    """Every distribution that the roots bring with them here → the extras it was asked for with."""
    found: dict[str, set[str]] = {}
    waiting = list(roots)
    while waiting:
        requirement = waiting.pop()
        name, extras = canonicalize_name(requirement.name), set(requirement.extras)
        if name in found and extras <= found[name]:
            continue
        found[name] = found.get(name, set()) | extras
        waiting.extend(needs(name, found[name]))
    return found


def needs(name: str, extras: set[str]) -> Iterator[Requirement]:
    """What an installed distribution asks for on this machine, with these extras."""
    try:
        texts = distribution(name).requires or []
    except PackageNotFoundError:
        return
    for requirement in map(Requirement, texts):
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in {"", *extras}):
            yield requirement


def judge(installed: Distribution) -> tuple[str, str, str, str]:
    """A row: name, version, licence, verdict."""
    name = canonicalize_name(installed.name)
    if name.split("-")[0] == "octavo":
        return name, installed.version, "Apache-2.0", "ours"
    said = " AND ".join(declared(installed)) or "none named"
    read, licence = REVIEWED.get(name, (None, said))
    if held := HOLDS_COPYLEFT.get(name):
        return name, installed.version, said, f"REFUSED: {held}, see docs/decisions/0018-speech-and-the-gpl.md"
    if said == read:
        return name, installed.version, licence, "reviewed"
    if is_allowed(said):
        return name, installed.version, said, "allowed"
    changed = "its words changed since they were reviewed" if read else "neither allowed nor reviewed"
    return name, installed.version, said, f"REFUSED: {changed}, see docs/decisions/0009-licences.md"


def declared(installed: Distribution) -> list[str]:
    """SPDX names as far as they can be told: the expression, else the classifiers, else the old free text."""
    metadata = installed.metadata
    if expression := metadata.get("License-Expression"):
        return [expression]
    names = [line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier", []) if line.startswith("License ::")]
    names = [name for name in names if name != "OSI Approved"]
    if names:
        return sorted({CLASSIFIERS.get(name, name) for name in names})
    text = (metadata.get("License") or "").strip()
    first = text.splitlines()[0].strip() if text else ""
    return [TEXTS.get(first.lower(), first)] if first else []


def is_allowed(expression: str) -> bool:
    """Whether an SPDX expression can be met with allowed licences alone: any side of OR, every side of AND."""
    tokens = re.findall(r"[()]|[^\s()]+", expression)
    value, rest = _either(tokens)
    return value and not rest


def _either(tokens: list[str]) -> tuple[bool, list[str]]:
    value, rest = _both(tokens)
    while rest and rest[0].upper() == "OR":
        other, rest = _both(rest[1:])
        value = value or other
    return value, rest


def _both(tokens: list[str]) -> tuple[bool, list[str]]:
    value, rest = _one(tokens)
    while rest and rest[0].upper() == "AND":
        other, rest = _one(rest[1:])
        value = value and other
    return value, rest


def _one(tokens: list[str]) -> tuple[bool, list[str]]:
    if not tokens:
        return False, []
    if tokens[0] == "(":
        value, rest = _either(tokens[1:])
        return (value, rest[1:]) if rest[:1] == [")"] else (False, rest)
    return tokens[0] in ALLOWED, tokens[1:]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:] or ["octavo-workspace[all]"]))
