"""Measures the time to each checkpoint of a mixed run of 200 documents (ENG-28).

The documents are copies of `docs/samples`, each made different by a comment, a word or a trailing line, so that every one is
converted; one of twenty is damaged. Prints the seconds until the last document was registered, converted, shallow and deep,
and until the run could be reviewed, with the outcomes by kind of file.

    python tests/benchmarks/engine/checkpoints.py [--documents 200] [--workers 2] [--json]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from octavo import Settings
from octavo_library import Library

SAMPLES = Path(__file__).resolve().parents[3] / "docs" / "samples"
DAMAGED_EVERY = 20


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "documents"
        files = make_documents(folder, options.documents)
        settings = Settings(workers=options.workers, sampling=False)
        with Library.open(Path(scratch) / "library", settings=settings) as library:
            outcomes = Counter(
                f"{Path(done.source).suffix} {done.result.ingestion_status}" for done in library.ingest_many(files)
            )
            run = library.runs.get("last")
    found = {
        "documents": len(files),
        "workers": options.workers,
        "checkpoints": {name: round(seconds, 2) for name, seconds in run.checkpoints.items()},
        "outcomes": dict(sorted(outcomes.items())),
    }
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        print(f"{len(files)} documents, {options.workers} workers")
        for name, seconds in found["checkpoints"].items():
            print(f"{name:12}{seconds:9.2f} s")
        print(", ".join(f"{name}: {count}" for name, count in found["outcomes"].items()))
    return 0


def make_documents(folder: Path, count: int) -> list[Path]:
    """Write documents of all formats of the samples, all different.

    Args:
        folder: created.
        count: number of documents.
    """
    folder.mkdir()
    samples = sorted(path for path in SAMPLES.iterdir() if path.is_file() and path.suffix not in (".py", ""))
    made = []
    for number in range(count):
        sample = samples[number % len(samples)]
        path = folder / f"{number:04}-{sample.name}"
        path.write_bytes(_VARIANTS.get(sample.suffix, _with_line)(sample.read_bytes(), number))
        if number % DAMAGED_EVERY == DAMAGED_EVERY - 1:
            path.write_bytes(path.read_bytes()[: max(1, path.stat().st_size // 3)])
        made.append(path)
    return made


def _with_line(data: bytes, number: int) -> bytes:
    return data + f"\nCopy {number} of the sample.\n".encode()


def _with_comment(data: bytes, number: int) -> bytes:
    return data + f"\n% copy {number}\n".encode()


def _with_zip_comment(data: bytes, number: int) -> bytes:
    with tempfile.TemporaryFile() as stream:
        stream.write(data)
        with zipfile.ZipFile(stream, "a") as archive:
            archive.comment = f"copy {number}".encode()
        stream.seek(0)
        return stream.read()


def _with_field(data: bytes, number: int) -> bytes:
    return json.dumps({"copy": number, "sample": json.loads(data)}).encode()


def _with_space(data: bytes, number: int) -> bytes:
    return data + b" " * (number + 1)


_VARIANTS: dict[str, Callable[[bytes, int], bytes]] = {
    ".pdf": _with_comment,
    ".docx": _with_zip_comment,
    ".pptx": _with_zip_comment,
    ".xlsx": _with_zip_comment,
    ".epub": _with_zip_comment,
    ".json": _with_field,
    ".ipynb": _with_space,
    ".wav": _with_space,
    ".png": _with_space,
}
"""Extension → how a copy is made different without damage."""


if __name__ == "__main__":
    raise SystemExit(main())
