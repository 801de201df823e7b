"""Measure how many parts of made documents are kept: `python tests/benchmarks/fidelity/run.py [--json] [--page FILE]`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))  # so that it runs from any folder, as a file

from tests.benchmarks.fidelity.converters import installed, versions
from tests.benchmarks.fidelity.counting import measure, short_of, table
from tests.benchmarks.fidelity.open_documents import all_documents

AIM = 0.98
"""Share of the parts of each construct and format that Octavo has to keep."""


def main() -> int:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(prog="tests/benchmarks/fidelity/run.py", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON: construct → format → converter → share kept")
    parser.add_argument("--converters", help="names with commas; all that are installed by default")
    parser.add_argument(
        "--page", type=Path, help="also write the page of the documentation, with the versions measured"
    )
    options = parser.parse_args()
    known = installed()
    names = options.converters.split(",") if options.converters else list(known)
    if unknown := sorted(set(names) - set(known)):
        print(f"not installed: {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    shares = measure(all_documents(), {name: known[name] for name in names})
    print(json.dumps(shares, indent=1) if options.json else table(shares))
    if options.page:
        options.page.write_text(_page(table(shares), versions(names)), encoding="utf-8")
    missed = short_of(shares, "octavo", AIM) if "octavo" in names else []
    for construct, form, share in missed:
        print(f"octavo kept {share:.2f} of {construct} in {form}, less than {AIM}", file=sys.stderr)
    return 1 if missed else 0


def _page(made: str, measured: dict[str, str]) -> str:
    named = ", ".join(f"{name} {version}" for name, version in measured.items())
    return f"""<!-- Made by `python tests/benchmarks/fidelity/run.py --page docs/reference/fidelity.md`. Run it; do not edit the page. -->

# Parts kept

The share of the parts of made documents that stand in the markdown with their structure: a list item at its level, a link with its
address, a cell in its row. Each row is one construct in one format, from three documents with one, two and three such parts. All
converters read the same files in one run, with their default settings. A dash: the converter does not read the format. The aim is {AIM} of
each row for Octavo.

Measured: {named}. Converters that were not installed have no column.

{made}

RTF, OpenDocument and EPUB files are written by hand; `.doc` files are made by LibreOffice from the Word documents. A title above a table of a workbook is a row of its sheet's one table, where each cell has its
place; it is not counted as kept, because it does not stand above the table.

The made documents are simple: the table shows which constructs a converter knows, not how well it reads documents of the world. That
is measured in [how accurate it is](../explanation/accuracy.md).
"""


if __name__ == "__main__":
    sys.exit(main())
