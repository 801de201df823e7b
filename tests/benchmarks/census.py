"""Measure conversion by format, and the census of structure beside it: `python tests/benchmarks/census.py [--json]`.

Each is one call of the hook in this process, without the start of a worker: the fastest of some calls, in milliseconds, so that
other load on the machine counts little. The documents are the samples, and the largest of
each construct that the benchmark of parts kept makes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # so that it runs from any folder, as a file

from octavo_census.census import count_parts  # noqa: E402 - the path above comes first
from octavo_contracts import ConvertRequest, FileSource, HookContext  # noqa: E402 - as above

from tests.benchmarks.fidelity.documents import VARIANTS, documents  # noqa: E402 - as above

AIM = 0.15
"""Largest share of a conversion that the census may take, in the median of a format."""
_OFFICE = "application/vnd.openxmlformats-officedocument"
CONVERTERS = {
    "docx": ("octavo_markitdown", f"{_OFFICE}.wordprocessingml.document"),
    "pptx": ("octavo_markitdown", f"{_OFFICE}.presentationml.presentation"),
    "xlsx": ("octavo_calamine", f"{_OFFICE}.spreadsheetml.sheet"),
    "html": ("octavo_trafilatura", "text/html"),
}
"""Format → the package of the engine that the profile asks first, and the media type."""


def main() -> int:
    """Measure, and print a table or JSON; the exit code is 1 if the census takes more than its share."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON: format → milliseconds and share")
    parser.add_argument("--repeats", type=int, default=3, help="calls of each document; the fastest counts")
    options = parser.parse_args()
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for path in _documents(Path(folder)):
            form = path.suffix[1:]
            found[form].append(_times(path, *CONVERTERS[form], work_dir=Path(folder), repeats=options.repeats))
    rows = {form: _row(pairs) for form, pairs in sorted(found.items())}
    if options.json:
        print(json.dumps(rows, indent=1))
    else:
        print("| format | documents | conversion, ms | census, ms | share |\n| --- | --- | --- | --- | --- |")
        for form, row in rows.items():
            print(
                f"| {form} | {row['documents']:.0f} | {row['convert']:.1f} | {row['census']:.1f} | {row['share']:.2f} |"
            )
    return int(any(row["share"] > AIM for row in rows.values()))


def _documents(folder: Path) -> list[Path]:
    paths = [path for path in sorted((ROOT / "docs" / "samples").iterdir()) if path.suffix[1:] in CONVERTERS]
    for made in documents():
        if made.format in CONVERTERS and len(made.parts) == VARIANTS:
            path = folder / made.name
            path.write_bytes(made.data)
            paths.append(path)
    return paths


def _times(path: Path, package: str, media_type: str, *, work_dir: Path, repeats: int) -> tuple[float, float]:
    """Milliseconds of the conversion and of the census."""
    convert = importlib.import_module(f"{package}.plugin").convert
    source = FileSource(path, media_type=media_type)
    request = ConvertRequest(media_type=media_type)
    context = HookContext(work_dir=work_dir, deadline=time.monotonic() + 300)
    return (
        _fastest(lambda: convert(source, request, context), repeats),
        _fastest(lambda: count_parts(source), repeats),
    )


def _fastest(call: Callable[[], object], repeats: int) -> float:
    call()  # the first call imports
    seconds = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begun)
    return 1000 * min(seconds)


def _row(pairs: list[tuple[float, float]]) -> dict[str, float]:
    return {
        "documents": len(pairs),
        "convert": statistics.median(whole for whole, _ in pairs),
        "census": statistics.median(census for _, census in pairs),
        "share": statistics.median(census / whole for whole, census in pairs),
    }


if __name__ == "__main__":
    sys.exit(main())
