"""An author's own documents beside their expected output: `octavo conformance run NAME --vectors DIR`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from octavo_conformance.cli import command
from octavo_conformance.vectors.own import read_own
from octavo_contracts import UsageError

CODE = """
from octavo_contracts import Conversion, Page, SourceCorrupt, SourceEmpty, Table, UnsupportedFormat, UsageError, hookimpl

@hookimpl
def convert(source, request):
    if request.media_type != "application/x-tide":
        raise UnsupportedFormat(f"{request.media_type} is not application/x-tide")
    if request.pages is not None:
        raise UsageError("it does not have the capability page_ranges")
    if source.size == 0:
        raise SourceEmpty("the tide file has no bytes")
    try:
        lines = source.read_bytes().decode().splitlines()
    except UnicodeDecodeError as error:
        raise SourceCorrupt("the tide file is not UTF-8") from error
    title, *rows = lines or [""]
    grid = tuple(tuple(row.split("|")) for row in rows)
    table = "\\n".join("| " + " | ".join(row) + " |" for row in grid)
    page = Page(
        number=1, kind="whole", markdown=f"# {title}\\n\\n{table}",
        text="\\n".join([title, *(" ".join(row) for row in grid)]), tables=(Table(rows=grid),),
    )
    return Conversion(pages=(page,), paginated=False)
"""
TIDES = "Tides of May\nHour|Tide\n04:10|Ebb\n10:25|Flood"
EXPECTED = "# Tides of May\n\n| Hour | Tide |\n|---|---|\n| 04:10 | Ebb |\n| 10:25 | Flood |\n"
STATED = 'texts = ["tides of may"]\nabsent = ["June"]\nheadings = ["Tides of May"]\ncells = ["04:10", "Flood"]\n'


@pytest.fixture
def tide(make_plugin: Callable[..., Any]) -> Iterator[None]:
    """A plugin of a format that the suite has no document of."""
    make_plugin(
        "tide", CODE, media_types=["application/x-tide"], extensions=[".tide"], capabilities=["headings", "tables"]
    )
    yield  # noqa: PT022 - the plugin is there until the test ends


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents, one beside all of its words, one beside some facts."""
    made = tmp_path / "vectors"
    made.mkdir()
    for name in ("May", "log"):
        (made / f"{name}.tide").write_text(TIDES, encoding="utf-8")
    (made / "May.expected.md").write_text(EXPECTED, encoding="utf-8")
    (made / "log.expected.toml").write_text(STATED, encoding="utf-8")
    return made


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["run", "tide", *arguments])


def outcomes(result: Result) -> dict[tuple[str, str | None], str]:
    return {(one["check"], one["vector"]): one["status"] for one in json.loads(result.stdout)["outcomes"]}


@pytest.mark.usefixtures("tide")
def test_a_format_without_vectors_is_tested_on_the_authors_documents(folder: Path) -> None:
    """ENG-23: determinism, files, network, memory and damage too, at every level."""
    result = run("--level", "3", "--vectors", str(folder), "--json")
    assert result.exit_code == 0, result.stdout
    found = outcomes(result)
    for check in ("OC-DET-001", "OC-FS-001", "OC-NET-001", "OC-MUT-002", "OC-ERR-004", "OC-GOLD-004"):
        assert (found[check, "own/may.tide"], found[check, "own/log.tide"]) == ("passed", "passed"), check
    assert found["OC-GOLD-003", "own/may.tide"] == found["OC-GOLD-005", "own/may.tide"] == "passed"
    assert found["OC-GOLD-008", "own/log.tide"] == found["OC-GOLD-017", "own/log.tide"] == "passed"
    assert found["OC-ERR-001", "own/empty.tide"] == found["OC-ERR-012", "own/damaged-12.tide"] == "passed"
    report = json.loads(result.stdout)
    assert report["badge"].startswith("octavo 1.0 L3 own ")
    assert report["own_vectors"] == str(folder)


@pytest.mark.usefixtures("tide")
@pytest.mark.parametrize(
    ("file", "old", "new", "check", "vector"),
    [
        ("May.expected.md", "of May", "of May\n\nSeen by nobody", "OC-GOLD-003", "own/may.tide"),
        ("May.expected.md", "| 10:25 | Flood |", "| 10:25 Flood | |", "OC-GOLD-005", "own/may.tide"),
        ("May.expected.md", "# Tides", "## Tides", "", ""),
        ("log.expected.toml", "tides of may", "tides of June", "OC-GOLD-008", "own/log.tide"),
        ("log.expected.toml", '"June"', '"May"', "OC-GOLD-002", "own/log.tide"),
        ("log.expected.toml", '"Flood"', '"Slack"', "OC-GOLD-017", "own/log.tide"),
        ("log.expected.toml", "Tides of May", "Tides", "OC-GOLD-004", "own/log.tide"),
    ],
)
def test_what_is_not_as_expected_fails(folder: Path, file: str, old: str, new: str, check: str, vector: str) -> None:
    path = folder / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    wanted = ("--check", "OC-GOLD-003", "--check", "OC-GOLD-004", "--check", "OC-GOLD-005", "--check", "OC-GOLD-008")
    result = run(*wanted, "--check", "OC-GOLD-017", "--vectors", str(folder), "--json")
    bad = {key for key, status in outcomes(result).items() if status == "failed"}
    assert bad == ({(check, vector)} if check else set())
    assert result.exit_code == (3 if check else 0)


@pytest.mark.usefixtures("tide")
def test_a_failure_names_the_folder_in_its_rerun(folder: Path) -> None:
    (folder / "May.expected.md").write_text("# Tides of June\n", encoding="utf-8")
    shown = run("--check", "OC-GOLD-003", "--vectors", str(folder)).stdout
    assert f"--vectors {folder},own/may.tide" in shown
    one = run("--check", "OC-GOLD-003", "--vectors", f"{folder},own/log.tide", "--json")
    assert {vector for check, vector in outcomes(one) if check == "OC-SCHEMA-002"} == {"own/log.tide"}


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"a.tide": ""}, "no file with expected output"),
        ({"a.tide": "", "a.expected.md": "", "a.expected.toml": ""}, "two files with expected output"),
        ({"a.expected.md": ""}, "no document for a.expected.md"),
        ({}, "has no document"),
        ({"a.tide": "", "a.expected.toml": "words = 1"}, "unknown keys words"),
        ({"a.tide": "", "a.expected.toml": "cells = "}, "cannot be read"),
        ({"a.tide": "", "a.expected.toml": "pages = 0"}, "page_count"),
        ({"a.tide": "", "a.expected.toml": 'texts = "fog"'}, "`texts` has to be a list of texts"),
        ({"a.other": "", "a.expected.md": ""}, "its extension '.other' is not one that the plugin reads"),
        ({"a b.tide": "", "a b.expected.md": "", "a-b.tide": "", "a-b.expected.md": ""}, "differ in signs only"),
    ],
)
def test_a_folder_that_is_not_as_it_has_to_be_is_refused(tmp_path: Path, files: dict[str, str], complaint: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=complaint):
        read_own(tmp_path, types={".tide": "application/x-tide"}, readable=["application/x-tide"])


def test_a_truth_may_state_the_type_that_an_extension_does_not_tell(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text("x", encoding="utf-8")
    (tmp_path / "a.expected.toml").write_text('media_type = "application/x-tide"\npages = 3\n', encoding="utf-8")
    (vector,) = read_own(tmp_path, types={}, readable=["application/x-tide"])
    assert (vector.path, vector.media_type, vector.expected.page_count) == ("own/a.dat", "application/x-tide", 3)
