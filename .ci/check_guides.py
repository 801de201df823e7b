"""Follow guides and tutorials with exactly the install that each of them names: `python .ci/check_guides.py [PAGE...]`.

For each distinct line `Needs: pip install …` an environment gets that command, run in a checkout, and nothing else: what an
earlier line installed besides is removed first. Then `tests/docs/docs_runner.py` follows each of the line's pages in an empty
folder that holds the samples, with the environment's own interpreter, and compares what is printed. Pages with tests of their
own are followed by these tests. Needs uv.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
NEEDS = re.compile(r"\A# [^\n]+\n\nNeeds: `pip install (?P<what>[^`]+)` in a checkout")
TUTORIAL = re.compile(r"^python3 -m pip install (?P<what>.+)$", re.MULTILINE)
"""What a tutorial installs, in its own first step."""
ASIDE = {
    "how-to/search.md": "its model comes in a package whose own requirements are gigabytes: a step of .ci/run follows it",
}
"""Pages that need more than the command, and what."""
PROGRAMS = {"how-to/scans.md": "tesseract"}
"""Page → the program that it needs besides."""
FOLLOW = (
    "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from docs_runner import PageRun; "
    "PageRun(Path(sys.argv[2]), Path(sys.argv[3]), programs=Path(sys.executable).parent).run()"
)


def pages() -> dict[str, str]:
    """Page below `docs` → the requirements that its command installs; pages that other tests follow are left out."""
    listed = (ROOT / "tests" / "docs" / "test_docs_examples.py").read_text(encoding="utf-8")
    names = re.findall(r'^    "((?:how-to|tutorials)/[\w-]+\.md)",$', listed, re.MULTILINE)
    found = {}
    for name in names:
        text = (DOCS / name).read_text(encoding="utf-8")
        match = TUTORIAL.search(text) if name.startswith("tutorials/") else NEEDS.match(text)
        assert match is not None, f"{name} does not say what it needs"
        found[name] = match["what"]
    return found


def lacking(name: str) -> str:
    """Return why a page cannot be followed here; empty if it can."""
    program = PROGRAMS.get(name)
    if program is not None and shutil.which(program) is None:
        return f"the program {program} is not installed"
    return ASIDE.get(name, "")


def follow(name: str, python: Path) -> str:
    """Follow a page; returns what went wrong, or nothing."""
    with tempfile.TemporaryDirectory(prefix="octavo-guide-") as folder:
        place = Path(folder) / "octavo"
        subprocess.run(["cp", "-R", "--", str(DOCS / "samples"), str(place.parent / "samples")], check=True)
        (place / "docs").mkdir(parents=True)
        (place.parent / "samples").rename(place / "docs" / "samples")
        command = [str(python), "-c", FOLLOW, str(ROOT / "tests" / "docs"), str(DOCS / name), str(place)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=place)
    return "" if done.returncode == 0 else done.stderr[-3_000:]


def main() -> int:
    """Follow every page, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="such as how-to/convert.md")
    parser.add_argument("--list", action="store_true", help="say what is installed for which pages, and end")
    given = parser.parse_args()
    wanted = {name: what for name, what in pages().items() if not given.pages or name in given.pages}
    for name in [name for name in wanted if lacking(name) and name not in given.pages]:
        print(f"left out: {name}: {lacking(name)}")
        del wanted[name]
    if given.list:
        for what in dict.fromkeys(wanted.values()):
            print(f"pip install {what}: {', '.join(name for name, needed in wanted.items() if needed == what)}")
        return 0
    failed = []
    with tempfile.TemporaryDirectory(prefix="octavo-guides-") as place:
        python = Path(place) / "bin" / "python"
        subprocess.run(["uv", "venv", "-q", "--seed", "--python", sys.executable, place], check=True)
        # `--exact` leaves what a new environment would get: most of it is the same for every line, and is not compiled again.
        install = ["uv", "pip", "install", "-q", "--exact", "--python", str(python)]
        for what in dict.fromkeys(wanted.values()):
            names = [name for name, needed in wanted.items() if needed == what]
            print(f"pip install {what}: {', '.join(names)}", flush=True)
            subprocess.run([*install, *shlex.split(what)], check=True, cwd=ROOT)
            for name in names:
                begun = time.monotonic()
                problem = follow(name, python)
                print(f"  {name}: {'FAILED' if problem else 'ok'}, {time.monotonic() - begun:.0f} s", flush=True)
                if problem:
                    print(problem)
                    failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
