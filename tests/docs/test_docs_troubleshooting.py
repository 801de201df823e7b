"""The page Troubleshooting: it has every reason code and every flag, and commands that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from octavo_cli.toolkit.running import LABELS
from octavo_contracts import DegradedFlag, HardFailReason
from page_needs import commands

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/troubleshooting.md").read_text(encoding="utf-8")
CLI = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
FAILED, DEGRADED = PAGE.partition("## A document is degraded")[::2]
FAILED, COMMANDS = FAILED.partition("## A command failed")[::2]


def first_cells(part: str) -> list[str]:
    """The codes in the first column of a part's table."""
    return [code for cell in re.findall(r"^\| (`.+?) \| ", part, re.MULTILINE) for code in re.findall(r"`(\w+)`", cell)]


def test_every_reason_code_stands_once() -> None:
    assert sorted(first_cells(FAILED)) == sorted(reason.value for reason in HardFailReason)


def test_every_label_of_a_command_stands_once() -> None:
    assert first_cells(COMMANDS) == list(LABELS)


def test_every_flag_stands_once() -> None:
    flags = DEGRADED.partition("\n## ")[0]

    assert sorted(first_cells(flags)) == sorted(flag.value for flag in DegradedFlag)


@pytest.mark.parametrize("line", sorted(set(re.findall(r"`octavo ([a-z][^`]*)`", PAGE))))
def test_a_command_of_the_page_exists_with_its_options(line: str) -> None:
    name = line.split()[0]
    section = CLI.partition(f"\n## octavo {name}\n")[2].partition("\n## ")[0]

    assert section, f"no command {name}; {sorted(commands())}"
    for option in re.findall(r"(--[a-z-]+)", line):
        assert f"`{option}" in section, option
