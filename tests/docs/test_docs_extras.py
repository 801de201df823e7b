"""The page of extras: each extra exists, and brings an engine for each file extension in its row."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_needs import distributions, extras_of_the_checkout

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/choose-extras.md").read_text(encoding="utf-8")
FORMATS = (ROOT / "docs/reference/formats.md").read_text(encoding="utf-8")
FILES, PURPOSES = (re.findall(r"^\| (.+?) \| `([\w-]+)` \|", part, re.MULTILINE) for part in PAGE.split("Extras for"))
DEVELOPMENT = {"test", "docs", "dev"}


def engines(extension: str) -> set[str]:
    """The engines that convert files with the extension, as the reference of formats lists them."""
    for row in FORMATS.splitlines():
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) == 5 and extension in cells[2].split():
            return {f"octavo-{name}" for name in cells[4].split(", ")}
    raise AssertionError(f"no format has the extension {extension}")


@pytest.mark.parametrize(("files", "extra"), FILES)
def test_an_extra_reads_the_files_of_its_row(files: str, extra: str) -> None:
    extensions = re.findall(r"`(\.\w+)`", files)

    assert extensions
    for extension in extensions:
        assert engines(extension) & distributions(extra), f"{extra} brings no engine for {extension}"


def test_no_file_needs_more_than_run_where_run_reads_it() -> None:
    for files, extra in FILES:
        if extra != "run":
            for extension in re.findall(r"`(\.\w+)`", files):
                assert not engines(extension) & distributions("run"), f"run reads {extension}"


def test_every_extra_for_users_is_on_the_page() -> None:
    assert {extra for _, extra in (*FILES, *PURPOSES)} == set(extras_of_the_checkout()) - DEVELOPMENT
