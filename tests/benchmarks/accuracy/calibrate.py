"""Make the weights of the built-in score: `python -m tests.benchmarks.accuracy.calibrate --manifest FILE --cache FOLDER`.

Takes readings that a run of the harness kept (those that are missing are made), fits the weights, prints their figures and writes
`core/src/octavo/quality/weights.json`. The same readings give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from octavo.builtins.quality import expected
from octavo.profiles.profile import DEFAULT_PROFILE

from . import installed
from .__main__ import installed_engines
from .calibration import spearman
from .collect import collect
from .fitting import fit, out_of_fold, samples, scored
from .folds import fold_of
from .manifest import NOT_RANKED, TIERS, load
from .ways import with_agreements

TARGET = Path(expected.__file__).with_name("weights.json")
FEWEST = 100
"""Fewer conversions are too few to make weights from."""


def main() -> int:
    """Fit, print, write."""
    options = _parser().parse_args()
    documents = [item for item in load(options.manifest, tier=options.tier) if item.group not in NOT_RANKED]
    documents = [item for item in documents if fold_of(item) is not None]
    engines = options.engines.split(",") if options.engines else [installed.ROUTER, *installed_engines()]
    rows = collect(
        documents,
        engines,
        timeout=options.timeout,
        profile=DEFAULT_PROFILE,
        cache=options.cache,
        kept_only=options.kept_only,
    )
    known = samples(with_agreements(rows))
    if len(known) < FEWEST:
        print(f"{len(known)} conversions are too few to make weights from", file=sys.stderr)
        return 2
    weights = fit(known)
    accuracy = [sample.accuracy for sample in known]
    for name, scores in (("out of fold", out_of_fold(known)), ("in sample", scored(known, weights))):
        error = sum(abs(one - other) for one, other in zip(scores, accuracy, strict=True)) / len(known)
        print(f"{len(known)} conversions, {name}: Spearman {spearman(scores, accuracy):.3f}, mean error {error:.3f}")
    if not options.print_only:
        TARGET.write_text(weights.to_json(), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", type=Path, required=True, help="JSON with `documents` and their truths")
    parser.add_argument("--tier", choices=TIERS, help="leave out the tiers after this one")
    parser.add_argument("--engines", help="plugins with commas; the router and all that are installed by default")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds an engine may take for a document")
    parser.add_argument("--cache", type=Path, help="folder of readings to keep and to take up again")
    parser.add_argument("--kept-only", action="store_true", help="read nothing: take the readings that are kept")
    parser.add_argument("--print-only", action="store_true", help="write nothing")
    return parser


if __name__ == "__main__":
    sys.exit(main())
