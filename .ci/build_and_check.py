"""Build every distribution and prove that what was built is whole: `build_and_check.py [OUTPUT]`.

Sdists and wheels are built (each wheel from its sdist), compared with the sources file by file, checked by twine, and
then installed from the wheels alone into a fresh environment, where the command line reads three samples.
"""

import json
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = {"annual-report.pdf": "Observatory", "instruments.xlsx": "Float gauge", "staff-handbook.docx": "Observatory"}
"""Name → a word that its markdown holds."""

CACHES = re.compile(r"(^|/)(__pycache__|\.[a-z]+_cache)/")


def main(output: Path) -> int:
    """Exit 0 when everything holds; the first thing that does not is named."""
    folders = [
        ROOT / "contracts",
        ROOT / "sandbox",
        ROOT / "text",
        ROOT / "core",
        ROOT / "cli",
        ROOT / "conformance",
        *sorted(ROOT.glob("plugins/*/octavo-*")),
    ]
    for folder in folders:
        with timed(f"build {folder.relative_to(ROOT)}"):
            run(sys.executable, "-m", "build", "--no-isolation", "--outdir", output, folder)
    wheels, sdists = sorted(output.glob("*.whl")), sorted(output.glob("*.tar.gz"))
    if not len(wheels) == len(sdists) == len(folders):
        raise SystemExit(f"{len(folders)} distributions gave {len(wheels)} wheels and {len(sdists)} sdists in {output}")
    for folder in folders:
        check_contents(folder, output)
    with timed("twine check"):
        run(sys.executable, "-m", "twine", "check", "--strict", *wheels, *sdists)
    with tempfile.TemporaryDirectory() as scratch:
        smoke(Path(scratch), wheels, folders)
    return 0


def check_contents(folder: Path, output: Path) -> None:
    """A wheel holds each file of `src` and nothing else; an sdist holds what is needed to build and to read."""
    wheel, sdist = built(folder, output)
    expected = set(sources(folder / "src"))
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    with tarfile.open(sdist) as archive:
        top = sdist.name.removesuffix(".tar.gz")
        shipped = {name.removeprefix(f"{top}/") for name in archive.getnames()}
    wanted = {"pyproject.toml", "README.md", "PKG-INFO", *(f"src/{name}" for name in expected)}
    problems = [f"{wheel.name} lacks {name}" for name in sorted(expected - packed)]
    problems += [f"{wheel.name} holds {name}, which is not in src" for name in sorted(packed - expected)]
    problems += [f"{sdist.name} lacks {name}" for name in sorted(wanted - shipped)]
    problems += [f"{sdist.name} holds {name}" for name in sorted(shipped) if CACHES.search(name)]
    if problems:
        raise SystemExit("\n".join(problems))
    print(f"{folder.name}: {len(packed)} files in the wheel, {len(shipped)} in the sdist")


def built(folder: Path, output: Path) -> tuple[Path, Path]:
    """The wheel and the sdist of a distribution."""
    name = re.search(r'^name = "(.+)"$', (folder / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert name is not None
    stem = name[1].replace("-", "_")
    (wheel,) = output.glob(f"{stem}-[0-9]*.whl")
    (sdist,) = output.glob(f"{stem}-[0-9]*.tar.gz")
    return wheel, sdist


def sources(folder: Path) -> Iterator[str]:
    """Every file under `src` that belongs to the package: no caches, nothing hidden."""
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if path.is_file() and "__pycache__" not in parts and not any(part.startswith(".") for part in parts):
            yield "/".join(parts)


def smoke(scratch: Path, wheels: list[Path], folders: list[Path]) -> None:
    """Install the wheels where no source is in reach, and use them as a user would.

    The wheels are named as files, so that no index can put another distribution of the same name in their place.
    """
    venv.create(scratch / "venv", with_pip=False)
    bin_folder = scratch / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    python = bin_folder / "python"
    with timed("install from the wheels alone"):
        run(sys.executable, "-m", "uv", "pip", "install", "-q", "--python", python, *wheels, cwd=scratch)
    origin = run(python, "-c", "import octavo; print(octavo.__file__)", cwd=scratch)
    if not Path(origin.strip()).is_relative_to(scratch.resolve()):
        raise SystemExit(f"octavo is imported from {origin}, not from its wheel")
    with timed("load every entry point"):
        run(python, "-c", ENTRY_POINTS, cwd=scratch)
    octavo = bin_folder / "octavo"
    with timed("octavo plugins"):
        check_plugins(json.loads(run(octavo, "plugins", "--json", cwd=scratch)), folders)
    for name, word in SAMPLES.items():
        with timed(f"octavo convert {name}"):
            markdown = run(octavo, "convert", ROOT / "docs" / "samples" / name, cwd=scratch)
        if word not in markdown:
            raise SystemExit(f"the markdown of {name} does not hold {word!r}: {markdown[:400]}")


def check_plugins(answer: dict[str, list[dict[str, str]]], folders: list[Path]) -> None:
    """Every engine of the repository is loaded, and nothing has failed."""
    loaded = {plugin["distribution"] for plugin in answer["plugins"] if plugin["loads"]}
    lost = sorted({folder.name for folder in folders if folder.parent.name == "engines"} - loaded)
    if lost or answer["failures"]:
        raise SystemExit(f"not loaded from the wheels: {lost}; failures: {answer['failures']}")


ENTRY_POINTS = """
from importlib.metadata import distributions
for distribution in distributions():
    if distribution.name.split("-")[0] == "octavo":
        for point in distribution.entry_points:
            point.load()
"""
"""Loads whatever a distribution of ours promises to others."""


@contextmanager
def timed(step: str) -> Iterator[None]:
    """Print a step with its seconds."""
    start = time.monotonic()
    yield
    print(f"{step}: {time.monotonic() - start:.1f} s", flush=True)


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """A command's standard output; its failure is this script's."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    if len(sys.argv) > 1:
        raise SystemExit(main(Path(sys.argv[1]).resolve()))
    with tempfile.TemporaryDirectory() as made:
        raise SystemExit(main(Path(made)))
