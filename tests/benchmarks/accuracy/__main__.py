"""The command; `run.py` calls it."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from octavo.profiles.profile import DEFAULT_PROFILE
from octavo.runtime import Runtime

from . import calibration, installed, peers, report
from .collect import Row, collect
from .manifest import TIERS, load
from .ways import with_agreements


def main() -> int:
    """Score what is installed, and print a table or JSON."""
    options = _parser().parse_args()
    documents = load(options.manifest, tier=options.tier)
    if not options.audio:
        documents = [item for item in documents if item.group != "audio"]
    if not documents:
        print(f"{options.manifest} has no documents with a truth", file=sys.stderr)
        return 2
    known = (*installed_engines(), *peers.available())
    names = tuple(options.engines.split(",")) if options.engines else known
    others = [installed.beside(profile) for profile in options.beside.split(",") if profile]
    if unknown := sorted(set(names) - set(known) - {installed.ROUTER}):
        print(f"not installed: {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    rows = collect(
        documents,
        [installed.ROUTER, *others, *(name for name in names if name != installed.ROUTER)],
        timeout=options.timeout,
        profile=options.profile,
        cache=options.cache,
        kept_only=options.kept_only,
    )
    if options.kept_only:
        rows = read_by_all(rows)
    judged = [row for row in rows if installed.profile_beside(row.engine) is None]
    found = report.build(rows, calibration.measure(with_agreements(judged)))
    print(json.dumps(found.to_json(), indent=1) if options.json else found.tables())
    return 0


def read_by_all(rows: Sequence[Row]) -> list[Row]:
    """The rows of documents that every engine has read: means are of the same documents for all."""
    count = len({row.engine for row in rows})
    read = Counter(row.document.id for row in rows)
    return [row for row in rows if read[row.document.id] == count]


def installed_engines() -> tuple[str, ...]:
    """The plugins that convert and have their engine."""
    with Runtime() as runtime:
        return installed.engine_names(runtime)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests/benchmarks/accuracy/run.py", description=__doc__)
    parser.add_argument("--manifest", type=Path, required=True, help="JSON with `documents` and their truths")
    parser.add_argument("--tier", choices=TIERS, help="leave out the tiers after this one")
    parser.add_argument("--engines", help="plugins and peers with commas; the router is always among them")
    parser.add_argument("--profile", default=DEFAULT_PROFILE, help="the router's rules")
    parser.add_argument(
        "--beside", default="fast", help="further profiles to measure beside it, with commas; none: an empty text"
    )
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds an engine may take for a document")
    parser.add_argument("--cache", type=Path, help="folder of readings to keep and to take up again")
    parser.add_argument(
        "--kept-only", action="store_true", help="read nothing: the documents that every engine has read"
    )
    parser.add_argument("--audio", action="store_true", help="score audio too; it stands apart from the mean")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
