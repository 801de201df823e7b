"""No two files import each other, directly or by way of others; neither do the folders that hold them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported by path: what they share has to be found

import import_circles


@pytest.mark.parametrize("source", import_circles.distributions(), ids=lambda path: path.parent.name)
def test_no_file_and_no_folder_imports_itself_by_way_of_others(source: Path) -> None:
    files = import_circles.file_imports(source)

    assert import_circles.circles(files) == []
    assert import_circles.circles(import_circles.folder_imports(files, source)) == []


def test_a_circle_of_files_is_found_also_where_a_package_passes_a_name_on(tmp_path: Path) -> None:
    package = tmp_path / "house"
    package.mkdir()
    (package / "__init__.py").write_text("from .hall import door\n")
    (package / "hall.py").write_text("def door():\n    from .yard import gate\n    return gate\n")
    (package / "yard.py").write_text("from . import door\ngate = door\n")

    found = import_circles.circles(import_circles.file_imports(tmp_path))

    assert found == [["house.hall", "house.yard"]]


def test_a_circle_of_folders_is_found_where_no_files_form_one(tmp_path: Path) -> None:
    for path, text in {
        "house/__init__.py": "",
        "house/hall/__init__.py": "",
        "house/hall/door.py": "from ..yard import gate\n",
        "house/hall/bell.py": "",
        "house/yard/__init__.py": "",
        "house/yard/gate.py": "from ..hall import bell\n",
    }.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    files = import_circles.file_imports(tmp_path)

    assert import_circles.circles(files) == []
    assert import_circles.circles(import_circles.folder_imports(files, tmp_path)) == [["house.hall", "house.yard"]]
