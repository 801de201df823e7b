"""Make the weights of the built-in score: `python -m tests.benchmarks.accuracy.calibrate --manifest FILE [--cache FOLDER]`.

Reads the documents with every plugin and with the router, fits the model, prints its figures out-of-fold and in-sample, and
writes `core/src/octavo/quality/calibration.json`. The same readings give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from octavo.quality import calibrated
from octavo.routing import DEFAULT_PROFILE

from . import calibration, installed
from .__main__ import installed_engines
from .collect import collect
from .fitting import fit, samples
from .folds import fold_of
from .manifest import NOT_RANKED, TIERS, load

TARGET = Path(calibrated.__file__).with_name("calibration.json")


def main() -> int:
    """Fit, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--tier", choices=TIERS)
    parser.add_argument("--cache", type=Path, help="folder of readings to keep and to take up again")
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--engines", help="plugins with commas; all that are installed by default")
    parser.add_argument("--print-only", action="store_true", help="write nothing")
    options = parser.parse_args()
    documents = [
        item
        for item in load(options.manifest, tier=options.tier)
        if item.group not in NOT_RANKED and fold_of(item) is not None
    ]
    engines = options.engines.split(",") if options.engines else [installed.ROUTER, *installed_engines()]
    rows = collect(documents, engines, timeout=options.timeout, profile=DEFAULT_PROFILE, cache=options.cache)
    known = samples(rows)
    if len(known) < 100:
        print(f"{len(known)} conversions are too few to make a model from", file=sys.stderr)
        return 2
    model = fit(known)
    accuracy = [sample.accuracy for sample in known]
    held_out = calibration.out_of_fold(known)
    fitted = [model.score(sample.numbers) for sample in known]
    for name, scores in (("out-of-fold", held_out), ("in-sample", fitted)):
        error = sum(abs(one - other) for one, other in zip(scores, accuracy, strict=True)) / len(known)
        rank = calibration.spearman(scores, accuracy)
        print(f"{len(known)} conversions, {name}: Spearman {rank:.3f}, mean error {error:.3f}")
    if not options.print_only:
        TARGET.write_text(model.to_json(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
