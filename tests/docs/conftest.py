"""What the tests of the documentation share: its folder, and a place that looks like a checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path
from sysconfig import get_path

import pytest

# The modules beside this file are scripts of the repository, not of a package: `python tests/docs/reference.py`.
sys.path.insert(0, str(Path(__file__).parent))

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def docs() -> Path:
    """The folder of the documentation's sources."""
    return ROOT / "docs"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """An empty folder that holds the samples where a checkout has them, and nothing else."""
    place = tmp_path / "octavo"
    shutil.copytree(ROOT / "docs" / "samples", place / "docs" / "samples")
    return place


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment that sees what is installed here; what the page installs goes into it alone."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=True, symlinks=True)
    python = place / "bin" / "python"
    asked = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip())
    folders = dict.fromkeys((get_path("purelib"), get_path("platlib")))
    # As a line of a .pth file, so that the .pth files of editable installs in there count too.
    lines = [f"import site; site.addsitedir({folder!r})\n" for folder in folders]
    (site / "zz-what-is-installed-here.pth").write_text("".join(lines), encoding="utf-8")
    # With the build system at hand nothing is fetched; without it pip fetches what the page names from its index.
    isolation = "--no-build-isolation" if find_spec("hatchling") and find_spec("editables") else ""
    _program(place, "pip", "-m pip --disable-pip-version-check -q", f"--no-deps {isolation}")
    _program(place, "octavo", '-c "from octavo_cli import main; raise SystemExit(main())"')
    return place


def _program(place: Path, name: str, module: str, options: str = "") -> None:
    program = place / "bin" / name
    program.unlink(missing_ok=True)
    program.write_text(f'#!/bin/sh\nexec {place}/bin/python {module} "$@" {options}\n', encoding="utf-8")
    program.chmod(0o755)
