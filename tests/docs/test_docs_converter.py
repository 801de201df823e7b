"""Whoever follows "Write a converter", and nothing else, has a plugin that is installed, routed to and tested."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docs_runner import PageRun, blocks_of

PAGE = "how-to/write-a-converter.md"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def followed(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> PageRun:
    """The page, followed from its first block to its last."""
    run = PageRun(
        Path(__file__).resolve().parents[2] / "docs" / PAGE,
        tmp_path_factory.mktemp("octavo"),
        programs=environment / "bin",
        # Loading the heavy engines would take most of the time and show nothing about this one.
        environment={"OCTAVO_PLUGINS": "jats,pdfium,plaintext"},
    )
    run.run()
    return run


@pytest.fixture
def plugins(followed: PageRun) -> Callable[[], dict[str, Any]]:
    """What `octavo plugins --json` says now."""
    return lambda: json.loads(followed.shell("octavo plugins --json"))


@pytest.fixture
def edited(followed: PageRun) -> Any:
    """Change one file of the plugin for one test."""
    before: dict[Path, str] = {}

    def edit(name: str, old: str, new: str) -> None:
        path = followed.folder / "octavo-jats" / "src" / "octavo_jats" / name
        before.setdefault(path, path.read_text(encoding="utf-8"))
        assert old in before[path]
        path.write_text(before[path].replace(old, new), encoding="utf-8")

    yield edit
    for path, text in before.items():
        path.write_text(text, encoding="utf-8")


def test_the_plugin_is_found_and_loads(followed: PageRun, plugins: Callable[[], dict[str, Any]]) -> None:
    (jats,) = [plugin for plugin in plugins()["plugins"] if plugin["name"] == "jats"]

    assert (jats["distribution"], jats["loads"], jats["problem"]) == ("octavo-jats", True, None)


def test_routing_picks_it(followed: PageRun) -> None:
    result = json.loads(followed.shell("octavo convert gauges.nxml --json 2>/dev/null"))["result"]

    assert [(attempt["plugin"], attempt["outcome"]) for attempt in result["attempts"]] == [("jats", "ok")]
    assert result["quality_report"]["degraded_flags"] == ["partial_conversion"]


def test_the_page_is_short(docs: Path) -> None:
    """The converter fits one screen: the page promises about thirty lines for the hook and what it calls."""
    (code,) = [block.body for block in blocks_of(docs / PAGE) if (block.title or "").endswith("plugin.py")]

    assert len([line for line in code.splitlines() if line.strip()]) <= 45


BROKEN = [
    pytest.param("plugin.py", "import re\n", "import re\nimport jatslib\n", "tool_unavailable", id="bad import"),
    pytest.param(
        "plugin.py",
        "def convert(source: SourceView)",
        "def convert(document: SourceView)",
        "doc25_contract_violation",
        id="wrong signature",
    ),
    pytest.param(
        "octavo-plugin.toml",
        'hooks = ["convert"]',
        'hooks = ["convert", "ocr"]',
        "doc25_contract_violation",
        id="hooks that differ",
    ),
    pytest.param(
        "octavo-plugin.toml", 'contract = "1.0"', 'contract = "1.9"', "unsupported_format", id="newer contract"
    ),
    pytest.param("octavo-plugin.toml", "media_types", "media_typos", "unsupported_format", id="misspelt field"),
]


@pytest.mark.parametrize(("name", "old", "new", "reason"), BROKEN)
def test_a_broken_plugin_is_reported_and_harms_nothing(
    followed: PageRun,
    plugins: Callable[[], dict[str, Any]],
    edited: Callable[..., None],
    docs: Path,
    name: str,
    old: str,
    new: str,
    reason: str,
) -> None:
    """What is said is what the page's table says, every other plugin loads, and other documents convert."""
    edited(name, old, new)

    listed = plugins()

    wrong = {plugin["name"]: plugin["problem"] for plugin in listed["plugins"] if plugin["problem"]}
    wrong |= {failure["name"]: failure for failure in listed["failures"] if failure["stage"] != "blocked"}
    assert list(wrong) == ["jats"]
    assert {"pdfium", "plaintext"} <= {plugin["name"] for plugin in listed["plugins"] if plugin["loads"]}
    table = (docs / PAGE).read_text(encoding="utf-8").partition("## When something is wrong")[2]
    said = [cell for line in table.splitlines() if line.startswith("| ") for cell in line.split("`")[1:2]]
    assert any(sentence in wrong["jats"]["message"] for sentence in said), wrong["jats"]["message"]
    assert f"[{reason}]" in followed.shell("octavo convert gauges.nxml", check=False)
    (followed.folder / "note.txt").write_text("High water is at 16:33.\n", encoding="utf-8")
    assert "High water is at 16:33." in followed.shell("octavo convert note.txt")


def test_check_ends_with_code_6_when_a_plugin_is_broken(followed: PageRun, edited: Callable[..., None]) -> None:
    assert followed.shell("octavo plugins --check >/dev/null; echo $?").strip() == "0"
    edited("plugin.py", "import re\n", "import re\nimport jatslib\n")

    assert followed.shell("octavo plugins --check >/dev/null; echo $?").strip() == "6"
