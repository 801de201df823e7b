"""Measure how many parts of made documents are kept: `python tests/benchmarks/fidelity/run.py [--json]`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))  # so that it runs from any folder, as a file

from tests.benchmarks.fidelity.converters import installed
from tests.benchmarks.fidelity.counting import measure, table
from tests.benchmarks.fidelity.documents import documents


def main() -> int:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(prog="tests/benchmarks/fidelity/run.py", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON: construct → format → converter → share kept")
    parser.add_argument("--converters", help="names with commas; all that are installed by default")
    options = parser.parse_args()
    known = installed()
    names = options.converters.split(",") if options.converters else list(known)
    if unknown := sorted(set(names) - set(known)):
        print(f"not installed: {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    shares = measure(documents(), {name: known[name] for name in names})
    print(json.dumps(shares, indent=1) if options.json else table(shares))
    return 0


if __name__ == "__main__":
    sys.exit(main())
