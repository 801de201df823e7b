"""What a newcomer waits for: five small documents from process start to end, beside three other converters.

    python -m tests.benchmarks.door --venvs DIR [--json] [--repeats 5]
    python -m tests.benchmarks.door --venvs DIR --markdown OUT DOCUMENT...

`--venvs` is a folder for three environments, which are made where they are missing: `run` and `all` hold Octavo's extras
of these names, `peers` holds MarkItDown, all2md and xberg. They are kept, so a later run measures at once. An environment whose
copy of Octavo is not that of this checkout is refused: delete it after a change of the sources. (uv installs a wheel that it built
earlier as long as the `pyproject.toml` of a folder is the same.) The converters take turns, so that a busy machine slows all of them alike.
`--markdown` converts documents with each and writes the results side by side, to be judged by eye.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ("annual-report.pdf", "staff-handbook.docx", "instruments.xlsx", "open-day.pptx", "harbour-seals.html")
PEERS = ("markitdown[all]", "all2md[all]", "xberg")
BAR = 0.8
"""Seconds from start to end that a small document should take at most."""
_LOOK_EVERY = 0.01
_XBERG = (
    "import asyncio, sys, xberg\n"
    "config = xberg.ExtractionConfig(output_format='markdown', use_cache=False)\n"
    "async def main():\n"
    "    result = await xberg.extract(xberg.ExtractInput(kind='uri', uri=sys.argv[1]), config)\n"
    "    print('\\n\\n'.join(one.content for one in result.results))\n"
    "asyncio.run(main())\n"
)


@dataclass(frozen=True)
class Converter:
    """A converter as a user starts it.

    Attributes:
        name: as in the table.
        command: the command line without the document.
    """

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """One document with one converter.

    Attributes:
        document: its file name.
        converter: the converter's name.
        seconds: median from the start of the process to its end.
        peak_mb: largest proportional set size of the process and its children, in a run of its own.
        failed: exit codes other than 0.
    """

    document: str
    converter: str
    seconds: float
    peak_mb: float
    failed: tuple[int, ...]


def environments(folder: Path) -> dict[str, Path]:
    """The `bin` folders of the three environments, made where they are missing."""
    wanted = {"run": (f"{ROOT}[run]",), "all": (f"{ROOT}[all]",), "peers": PEERS}
    for name, packages in wanted.items():
        if not (folder / name / ".installed").exists():
            shutil.rmtree(folder / name, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", str(folder / name)], check=True)
            pip = [str(folder / name / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
            subprocess.run([*pip, *packages], check=True)
            (folder / name / ".installed").touch()
    for name in ("run", "all"):
        if changed := differing(folder / name):
            raise SystemExit(
                f"{folder / name} has another Octavo than {ROOT}: {', '.join(changed[:5])}"
                f"{' …' if len(changed) > 5 else ''}. Delete the folder, or reinstall without a cache"
            )
    return {name: folder / name / "bin" for name in wanted}


def differing(environment: Path) -> list[str]:
    """The modules of an environment's packages of Octavo that differ from those of this checkout, by path."""
    [site] = environment.glob("lib/python3*/site-packages")
    sources = {
        path.name: path
        for pattern in ("*/src/octavo*", "plugins/*/*/src/octavo*")
        for path in ROOT.glob(pattern)
        if path.is_dir()
    }
    changed: list[str] = []
    for package in sorted(path for path in site.glob("octavo*") if path.name in sources):
        ours, theirs = _modules(sources[package.name]), _modules(package)
        changed += (f"{package.name}/{name}" for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name))
    return changed


def _modules(package: Path) -> dict[str, bytes]:
    return {path.relative_to(package).as_posix(): path.read_bytes() for path in package.rglob("*.py")}


def converters(places: dict[str, Path]) -> list[Converter]:
    """The converters of the environments."""
    peers = places["peers"]
    return [
        Converter("octavo run", (str(places["run"] / "octavo"), "convert")),
        Converter("octavo all", (str(places["all"] / "octavo"), "convert")),
        Converter("markitdown", (str(peers / "markitdown"),)),
        Converter("all2md", (str(peers / "all2md"),)),
        Converter("xberg", (str(peers / "python"), "-c", _XBERG)),
    ]


def measured(documents: list[Path], found: list[Converter], *, repeats: int) -> list[Row]:
    """Time each document with each converter, in turn; memory is measured in one more run."""
    seconds: dict[tuple[Path, str], list[float]] = {}
    codes: dict[tuple[Path, str], set[int]] = {}
    for document in documents:
        for _ in range(repeats + 1):
            for one in found:
                started = time.perf_counter()
                code = subprocess.run([*one.command, str(document)], **_quiet()).returncode
                seconds.setdefault((document, one.name), []).append(time.perf_counter() - started)
                codes.setdefault((document, one.name), set()).add(code)
    return [
        Row(
            document.name,
            one.name,
            # The first run fills the caches of files and of compiled modules.
            round(statistics.median(seconds[document, one.name][1:]), 2),
            round(peak_mb([*one.command, str(document)]), 1),
            tuple(sorted(codes[document, one.name] - {0})),
        )
        for document in documents
        for one in found
    ]


def peak_mb(command: list[str]) -> float:
    """Largest sum of the proportional set sizes of a process and its descendants."""
    peak = 0
    process = psutil.Popen(command, **_quiet())
    while process.poll() is None:
        total = 0
        try:
            family = [process, *process.children(recursive=True)]
        except psutil.Error:
            continue
        for one in family:
            try:
                total += one.memory_full_info().pss
            except (psutil.Error, AttributeError):
                continue
        peak = max(peak, total)
        time.sleep(_LOOK_EVERY)
    return peak / 2**20


def write_markdown(documents: list[Path], found: list[Converter], target: Path) -> None:
    """Write the markdown of each document by each converter: `TARGET/DOCUMENT/CONVERTER.md`."""
    for document in documents:
        folder = target / document.name
        folder.mkdir(parents=True, exist_ok=True)
        for one in found:
            done = subprocess.run([*one.command, str(document)], capture_output=True, check=False, env=_environment())
            (folder / f"{one.name.replace(' ', '-')}.md").write_bytes(done.stdout)
            if done.returncode:
                print(f"{document.name}: {one.name} ended with {done.returncode}", file=sys.stderr)


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OCTAVO_")}
    return {**kept, "XDG_CONFIG_HOME": str(Path(tempfile.gettempdir()) / "octavo-door-no-settings")}


def _quiet() -> dict[str, Any]:
    return {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": _environment()}


def _table(rows: list[Row]) -> str:
    names = list(dict.fromkeys(row.converter for row in rows))
    lines = [f"{'document':<22}" + "".join(f"{name:>20}" for name in names)]
    for document in dict.fromkeys(row.document for row in rows):
        cells = [
            f"{row.seconds:.2f} s {row.peak_mb:>4.0f} MB" + ("!" if row.failed else "")
            for row in rows
            if row.document == document
        ]
        lines.append(f"{document:<22}" + "".join(f"{cell:>20}" for cell in cells))
    return "\n".join(lines)


def main() -> int:
    """Print the table, or write markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venvs", type=Path, required=True, metavar="DIR")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--markdown", type=Path, metavar="OUT")
    parser.add_argument("documents", nargs="*", type=Path)
    given = parser.parse_args()
    found = converters(environments(given.venvs))
    documents = given.documents or [ROOT / "docs" / "samples" / name for name in SAMPLES]
    if given.markdown is not None:
        write_markdown(documents, found, given.markdown)
        return 0
    before = os.getloadavg()[0]
    rows = measured(documents, found, repeats=given.repeats)
    if given.json:
        load = {"before": round(before, 2), "after": round(os.getloadavg()[0], 2)}
        print(json.dumps({"bar_seconds": BAR, "load": load, "rows": [asdict(row) for row in rows]}, indent=2))
    else:
        print(_table(rows))
        print(f"bar: {BAR} s; load {before:.1f} before, {os.getloadavg()[0]:.1f} after; ! = it failed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
