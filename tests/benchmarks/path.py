"""How much of Octavo a one-line text goes through in the host: files, functions and calls.

    python -m tests.benchmarks.path [--json]

Three ways in are followed by `sys.setprofile`, each in a fresh process: `octavo.convert`, `Library.ingest` into an open
library, and `octavo ingest` with a new library. Module bodies do not count, and neither does what runs in workers. A file
is a module of the host: of the core, the sandbox, the library or another feature; the models of the contracts are counted
apart. The limits are those of the design: a reader who follows a document reads no more.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from importlib.util import find_spec
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

LIMITS = {"octavo.convert": 30, "Library.ingest": 55, "octavo ingest": 90}
"""Way in → files at most."""


PACKAGES = (
    "octavo",
    "octavo_contracts",
    "octavo_sandbox",
    "octavo_text",
    "octavo_library",
    "octavo_digest",
    "octavo_brief",
    "octavo_fields",
    "octavo_web",
)


class Followed:
    """Counts the functions of Octavo that are entered while it is installed, on every thread."""

    def __init__(self) -> None:
        found = {name: find_spec(name) for name in PACKAGES}
        self._roots = {name: f"{Path(spec.origin).parent}/" for name, spec in found.items() if spec and spec.origin}
        self._all = tuple(self._roots.values())
        self._seen: dict[CodeType, int] = {}

    def __enter__(self) -> Followed:
        threading.setprofile(self._called)
        sys.setprofile(self._called)
        return self

    def __exit__(self, *exc: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]  # typeshed does not know that None takes it away

    def _called(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_flags & CO_OPTIMIZED or not code.co_filename.startswith(self._all):
            return  # bodies of modules and classes are not optimized
        if code in self._seen or not self._is_imported_by(frame):
            self._seen[code] = self._seen.get(code, 0) + 1

    def _is_imported_by(self, frame: FrameType) -> bool:
        """Whether a module of Octavo is being imported, and calls this on the way."""
        above = frame.f_back
        while above is not None:
            if above.f_code.co_name == "<module>" and above.f_code.co_filename.startswith(self._all):
                return True
            above = above.f_back
        return False

    @property
    def figures(self) -> dict[str, Any]:
        """Files, functions, calls, and the names of the files."""
        seen = dict(self._seen)
        files = sorted({code.co_filename for code in seen})
        contracts = [name for name in files if name.startswith(self._roots["octavo_contracts"])]
        names = [
            f"{package}/{name.removeprefix(root)}"
            for package, root in self._roots.items()
            for name in files
            if name.startswith(root)
        ]
        return {
            "files": len(files) - len(contracts),
            "contracts": len(contracts),
            "functions": len(seen),
            "calls": sum(seen.values()),
            "names": names,
        }


def convert(text: Path) -> dict[str, Any]:
    """`octavo.convert`, the second time in a process: the first one starts the workers."""
    import octavo

    octavo.convert(text)
    with Followed() as followed:
        octavo.convert(text)
    return followed.figures


def ingest(text: Path) -> dict[str, Any]:
    """`Library.ingest` into an open library that has one document already."""
    from octavo_library import Library

    other = text.with_name("before.txt")
    other.write_text("What came before.\n", encoding="utf-8")
    with Library.open(text.with_name("library")) as library:
        library.ingest(other)
        with Followed() as followed:
            library.ingest(text)
    return followed.figures


def command(text: Path) -> dict[str, Any]:
    """`octavo ingest` of a file, which makes the library."""
    with Followed() as followed:
        from octavo_cli import main

        code = main(["ingest", str(text), "--library", str(text.with_name("library"))])
    if code:
        raise SystemExit(f"octavo ingest ended with {code}")
    return followed.figures


WAYS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "octavo.convert": convert,
    "Library.ingest": ingest,
    "octavo ingest": command,
}


def measure(way: str) -> dict[str, Any]:
    """One way in, in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "line.txt")
        text.write_text("A line of text.\n", encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.path", "--way", way, str(text)],
            capture_output=True,
            text=True,
            check=True,
        )
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="figures and the names of the files")
    parser.add_argument("--way", choices=WAYS, help="follow this one in this process")
    parser.add_argument("text", nargs="?", type=Path, help="with --way: the document")
    given = parser.parse_args()
    if given.way:
        print("\n" + json.dumps(WAYS[given.way](given.text)))
        return
    found = {way: measure(way) for way in WAYS}
    if given.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{'way in':<16} {'files':>6} {'limit':>6} {'ratio':>6} {'contracts':>10} {'functions':>10} {'calls':>7}")
    for way, one in found.items():
        ratio = one["files"] / LIMITS[way]
        counts = f"{one['contracts']:>10} {one['functions']:>10} {one['calls']:>7}"
        print(f"{way:<16} {one['files']:>6} {LIMITS[way]:>6} {ratio:>6.2f} {counts}")


if __name__ == "__main__":
    main()
