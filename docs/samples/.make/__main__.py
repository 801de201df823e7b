"""Make the sample documents that no text editor writes, the same bytes each time.

Needs, for this script alone: reportlab 5, Pillow 13, python-pptx 1.0. The other samples
(`.md`, `.txt`, `.html`, `.vtt`) are written by hand and are their own source.

    python docs/samples/.make            # write them into docs/samples
    python docs/samples/.make --check    # compare with what stands there; exit 1 where they differ

Dates, ids and the order of parts are fixed. Another release of the libraries, or of zlib, may still give
other bytes for the same content; then read the difference and commit it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import book
import mail
import notebook
import pictures
import report
import sheets
import slides
import tides
import word

SAMPLES: dict[str, Callable[[], bytes]] = {
    "annual-report.pdf": report.annual_report,
    "calibration.ipynb": notebook.calibration,
    "instruments.xlsx": sheets.instruments,
    "logbook-scan.pdf": pictures.logbook_scan,
    "open-day.pptx": slides.open_day,
    "pebble-guide.epub": book.pebble_guide,
    "readings.json": notebook.readings,
    "staff-handbook.docx": word.staff_handbook,
    "storm-warning.eml": mail.storm_warning,
    "tide-table.csv": tides.tide_table,
}
"""File name → the function that gives its bytes."""


def main() -> int:
    """Write or compare every sample; the exit code."""
    parser = argparse.ArgumentParser(description="Make the sample documents.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check: bool = parser.parse_args().check
    folder = Path(__file__).parent.parent
    different = []
    for name, build in SAMPLES.items():
        data = build()
        path = folder / name
        if check and (not path.exists() or path.read_bytes() != data):
            different.append(name)
        elif not check:
            path.write_bytes(data)
            print(f"{len(data):7} {name}")
    for name in different:
        print(f"{name} is not what is made here", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
