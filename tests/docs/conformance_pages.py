"""The reference pages of the conformance suite: its checks, its mutants, and what the engines here reach.

They are written by `python tests/docs/reference.py` with the other pages.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from octavo_conformance.checks import REGISTRY, Check
from octavo_conformance.families import MODULES
from octavo_conformance.mutants import ALL_MUTANTS, DocumentMutant, PluginMutant
from octavo_conformance.mutants.documents import good_digest
from octavo_conformance.mutants.matrix import good_result
from octavo_conformance.reference import reference_text
from octavo_conformance.support import Support, support_tables
from octavo_conformance.version import SUITE_VERSION
from reference_markdown import table

SUPPORT = Path(__file__).resolve().parents[2] / "docs" / "reference" / "support-matrix.json"
"""What the engines of this repository reached when they were last measured: rows of `octavo_conformance.support`."""

LEVELS = (
    ("0", "loads", "found, named, versioned, imported as the contract asks"),
    ("1", "answers", "conversions, spans, pages and errors as the contract describes; changes nothing it is given"),
    ("2", "behaves", "deterministic, isolated, within the time and memory it declares"),
    ("3", "is right", "words, headings, cells and metadata of the golden vectors"),
)
SCOPES = {
    "plugin": "the plugin as such",
    "golden": "each golden vector of its media types",
    "fresh": "a document of made-up words of each of its formats",
    "hostile": "each hostile vector of its formats",
    "result": "each result",
    "digest": "each digest",
}


def checks_page() -> list[str]:
    """Every check, from its docstring."""
    parts = [
        "# Checks",
        f"The {len(REGISTRY)} checks of the conformance suite {SUITE_VERSION}. `octavo conformance explain ID` says the same in "
        "a terminal; [how failures read](../explanation/how-failures-read.md) shows what a failing one prints.",
        table(("level", "a plugin that reaches it", "that is"), LEVELS),
        "A check runs for the plugins that it is *for*, as their manifest declares them; a declared capability turns checks "
        "on, and an undeclared one the check that it is refused. Where a check that it *requires* failed, it is blocked, "
        "not failed. *Since* is the minor version of the contract that brought the rule: a plugin made for an older one is "
        "not held to it.",
    ]
    for module in MODULES:
        found = import_module(f"octavo_conformance.families.{module}")
        heading = (found.__doc__ or "").partition("\n")[0]
        parts.append(f"## {heading.rstrip('.')}")
        parts += [part for check in REGISTRY if check.run.__module__ == found.__name__ for part in _check(check)]
    return parts


def _check(check: Check) -> Iterator[str]:
    yield f"### {check.id}"
    yield check.rule
    yield table(
        ("", ""),
        (
            ("level", str(check.level)),
            ("runs on", SCOPES[check.scope]),
            ("for", str(check.gate) if check.scope not in ("result", "digest") else f"every {check.scope}, by anyone"),
            ("requires", ", ".join(f"[{other}](#{other.lower()})" for other in check.requires) or "nothing"),
            ("holds", ", ".join(f"[{name}](requirements.md#{name.lower()})" for name in check.spec)),
            ("since", f"contract {check.since}"),
        ),
    )
    yield "To repair:"
    yield "\n".join(f"- {step}" for step in check.fix)


def mutants_page() -> list[str]:
    """Every mutant: what is broken, and which check has to notice."""
    reasons = {mutant.name: mutant.co_failures for mutant in ALL_MUTANTS if mutant.co_failures}
    parts = [
        "# Mutants",
        f"The suite is tested by {len(ALL_MUTANTS)} mutants of {len(REGISTRY)} checks: plugins, results and digests that keep "
        "to all of the contract but for one rule. Each has to fail its check, and no other check that does not require that "
        "one; the reference plugins they are made from pass everything. `octavo conformance mutants` runs them all, and so "
        "do the suite's own tests: a mutant that survives, and a check without a mutant, fails them.",
        "## Declared co-failures",
        "A mutant that breaks a second rule by necessity says so, with the reason:",
        table(
            ("mutant", "fails too", "because"),
            [(f"`{name}`", f"[{other}](checks.md#{other.lower()})", why) for name, also in reasons.items() for other, why in also.items()],
        ),
        "## What is broken",
        "A line with `-` is the reference plugin's, one with `+` the mutant's. For results and digests the places of the "
        "document that were changed are named.",
    ]  # fmt: skip
    for check in REGISTRY:
        parts.append(f"### {check.id}")
        parts += [_mutant(mutant) for mutant in ALL_MUTANTS if mutant.target == check.id]
    return parts


def _mutant(mutant: PluginMutant | DocumentMutant) -> str:
    if isinstance(mutant, DocumentMutant):
        places = ", ".join(f"`{place}`" for place in _changed(mutant))
        return f"`{mutant.name}`, a {REGISTRY[mutant.target].scope}: {places}"
    before, after = reference_text(mutant.base), mutant.text()
    lines = [
        line
        for old, new in ((before.code, after.code), (before.manifest, after.manifest))
        for line in difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
        if not line.startswith(("---", "+++", "@@"))
    ]
    body = "\n".join(lines)
    return f"`{mutant.name}`, of the reference plugin `{mutant.base}`:\n\n```diff\n{body}\n```"


def _changed(mutant: DocumentMutant) -> list[str]:
    good = good_digest() if REGISTRY[mutant.target].scope == "digest" else good_result()
    bad = mutant.spoil(good)  # type: ignore[arg-type]  # its kind is its target's
    found = [f"{name} text" for name in ("canonical", "markdown", "archive") if getattr(good, name, None) != getattr(bad, name, None)]  # fmt: skip
    return [*_differences(good.data, bad.data, ""), *found]


def _differences(good: Any, bad: Any, place: str) -> Iterator[str]:
    if isinstance(good, dict) and isinstance(bad, dict):
        for name in dict.fromkeys((*good, *bad)):
            where = f"{place}.{name}" if place else name
            if name not in bad:
                yield f"{where} left out"
            elif name not in good:
                yield f"{where} added"
            else:
                yield from _differences(good[name], bad[name], where)
    elif isinstance(good, list) and isinstance(bad, list) and len(good) == len(bad):
        for number, (one, other) in enumerate(zip(good, bad, strict=True)):
            yield from _differences(one, other, f"{place}[{number}]")
    elif good != bad:
        yield place


def support_page() -> list[str]:
    """The support matrix, from the committed rows."""
    supports = committed_supports()
    engines = [
        (f"`{one.plugin}`", one.plugin_version, one.engine or "Python's own library", f"contract {one.contract}, suite {one.suite}")
        for one in supports
    ]  # fmt: skip
    return [
        "# Support matrix",
        "What the engines of this repository reach in the [conformance suite](checks.md): for each family of vectors how many "
        "outcomes passed, of those that count. Golden vectors and hostile ones are counted alike; a check that is not for a "
        "plugin is not counted. An empty cell is a format that the engine does not read.",
        support_tables(supports),
        "## Measured with",
        table(("engine", "version", "made with", "held to"), engines),
        "## How this page stays true",
        "`python tests/docs/support_matrix.py` runs the suite over every engine at level 3 and writes the reports' figures to "
        "`docs/reference/support-matrix.json`; this page is made from that file. Two tests hold them together. The fast one "
        "compares page and file, and the file's known failures with each engine's `octavo-conformance.toml`. `tox -e "
        "conformance` runs the suite anew and fails where an engine fails, or where any figure differs from the file. "
        "Versions of engines and of this machine may differ; what an engine reaches may not.",
    ]


def committed_supports() -> list[Support]:
    """The committed rows, by name of the plugin."""
    return [Support.read(row) for row in json.loads(SUPPORT.read_text(encoding="utf-8"))["supports"]]
