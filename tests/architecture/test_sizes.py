"""No file, class or function is larger than a reader takes in at once."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported by path: what they share has to be found

import sizes


def test_no_source_is_over_a_limit() -> None:
    found = sizes.sources()

    assert len(found) > 500
    assert [line for path in found for line in sizes.over_limits(path)] == []


def test_the_core_stays_small(tmp_path: Path) -> None:
    core = tmp_path / "core"
    (core / "src").mkdir(parents=True)
    (core / "src" / "long.py").write_text("\n" * sizes.CORE_LINES)
    needed = [f"library-{number}" for number in range(sizes.CORE_DEPENDENCIES + 1)]
    (core / "pyproject.toml").write_text(f"[project]\ndependencies = {needed}\n")

    assert [line.split(",")[0] for line in sizes.core_over_limits(core)] == [
        "core: 22000 lines",
        "core: 9 dependencies",
    ]
    assert list(sizes.core_over_limits(sizes.ROOT / "core")) == []


def test_what_is_over_a_limit_is_found(tmp_path: Path) -> None:
    path = tmp_path / "large.py"
    methods = "".join(f"    def m{number}(self): ...\n" for number in range(sizes.PUBLIC_METHODS + 1))
    names = ", ".join(f"p{number}" for number in range(sizes.PARAMETERS + 1))
    command = f"@octavo_command(name='x')\ndef command({names}): ...\n"
    path.write_text(f"class Large:\n{methods}def many({names}): ...\n{command}" + "\n" * sizes.FILE_LINES)

    found = list(sizes.over_limits(path))

    assert [line.partition(": ")[2].split(",")[0] for line in found] == [
        f"{len(path.read_text().splitlines())} lines",
        "class Large has 26 public methods",
        "many takes 9 parameters",
    ]
