"""Files and folders that may not be read or written: one code, one message and a remedy about permissions, wherever they are met."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

READ = "the file cannot be opened: Permission denied [source_missing]"
READ_REMEDY = "Get permission to read it, or run octavo as its owner"
WRITE_REMEDY = "Get permission to write there, or write to another folder"


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Path]:
    """A folder with a file, and beside it a file and two folders that may not be read or not be written."""
    (tmp_path / "shelf/closed").mkdir(parents=True)
    (tmp_path / "shelf/tides.md").write_text("High water at noon.\n", encoding="utf-8")
    (tmp_path / "shelf/closed/hidden.md").write_text("Low water.\n", encoding="utf-8")
    (tmp_path / "secret.md").write_text("Ebb.\n", encoding="utf-8")
    (tmp_path / "kept").mkdir()
    modes = {"shelf/closed": 0o000, "secret.md": 0o000, "kept": 0o555}
    for name, mode in modes.items():
        (tmp_path / name).chmod(mode)
    yield tmp_path / "shelf"
    for name in modes:
        (tmp_path / name).chmod(0o700)


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize(
    "arguments", [("secret.md",), ("shelf/closed", "-d", "out"), ("shelf/closed/*.md", "-d", "out")]
)
def test_what_may_not_be_read_is_no_usage_error(limited, arguments):
    ended = limited("convert", *arguments)
    assert (ended.code, READ in ended.stderr, READ_REMEDY in ended.stderr) == (3, True, True), ended.stderr


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize("path", ["secret.md", "shelf/closed", "shelf/closed/hidden.md"])
def test_ingest_reports_what_may_not_be_read(limited, path):
    ended = limited("ingest", path)
    assert ended.code == 3
    assert "1 failed [source_missing]" in ended.out
    assert READ_REMEDY in ended.out


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize("pattern", ["shelf/**/*.md", "shelf/*/*.md", "sh*/**/*.md"])
def test_a_pattern_reports_folders_that_may_not_be_read(limited, pattern):
    ended = limited("convert", pattern, "-d", "out")
    assert ended.code == 3, ended.stderr
    assert f"  shelf/closed: {READ}" in ended.stderr


@pytest.mark.usefixtures("shelf")
def test_a_pattern_that_does_not_lead_into_a_folder_does_not_report_it(limited):
    assert limited("convert", "shelf/*.md", "-d", "out").code == 0


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize("where", [("-o", "kept/tides.md"), ("-d", "kept"), ("-d", "kept/in")])
def test_a_target_that_may_not_be_written_has_one_code(limited, where):
    ended = limited("convert", "shelf/tides.md", *where)
    assert ended.code == 3
    assert "tides.md cannot be written: Permission denied [storage]" in ended.stderr
    assert WRITE_REMEDY in ended.stderr
    assert "usage" not in ended.stderr
