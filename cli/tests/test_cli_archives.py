"""`octavo convert` of zip archives: the files in them are documents of their own, and their names lead nowhere."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from octavo_cli import main

pytestmark = pytest.mark.usefixtures("capfd")


def zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, data in files.items():
            made.writestr(name, data)
    return buffer.getvalue()


def written(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_file_of_an_archive_is_written(work: Path) -> None:
    inner = zipped({"deep.txt": b"low water"})
    files = {"letters/a.txt": b"high water", "b.csv": b"day,height\nMonday,3.2\n", "inner.zip": inner}
    (work / "post.zip").write_bytes(zipped(files))

    assert main(["convert", "post.zip", "-d", "out"]) == 0
    assert written(work / "out") == {
        "post.md",
        "post/letters/a.md",
        "post/b.md",
        "post/inner.md",
        "post/inner/deep.md",
    }
    assert (work / "out/post/letters/a.md").read_text(encoding="utf-8").strip() == "high water"


@pytest.mark.parametrize("name", ["../../up.txt", "/etc/abs.txt"])
def test_an_archive_with_a_name_that_leads_elsewhere_is_refused(
    name: str, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (work / "post.zip").write_bytes(zipped({name: b"text"}))

    assert main(["convert", "post.zip", "-d", "out"]) == 3
    assert "[source_corrupt]" in capfd.readouterr().err
    assert written(work) == {"post.zip"}


def test_odd_names_become_names_of_files(work: Path) -> None:
    names = ["a\x1b[31m.txt", f"{'long' * 60}.txt", "...", "stream:b.txt", "./c.txt"]
    (work / "post.zip").write_bytes(zipped(dict.fromkeys(names, b"text")))

    assert main(["convert", "post.zip", "-d", "out"]) == 0
    assert written(work) == {"post.zip", *(f"out/{name}" for name in written(work / "out"))}
    assert len(written(work / "out")) == 1 + len(names)
    assert {name for name in written(work / "out") if not name.isprintable() or ":" in name} == set()


def test_a_file_that_cannot_be_converted_fails_alone(work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (work / "post.zip").write_bytes(zipped({"a.txt": b"text", "odd.bin": b"\0\1\2\3" * 50}))

    assert main(["convert", "post.zip", "-d", "out"]) == 3
    assert "post.zip › odd.bin: failed [unsupported_format]" in capfd.readouterr().err
    assert (work / "out/post/a.md").is_file()


def test_limits_of_count_and_depth_are_told(
    work: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OCTAVO_ATTACHMENTS__MOST", "1")
    monkeypatch.setenv("OCTAVO_ATTACHMENTS__DEPTH", "1")
    inner = zipped({"deep.txt": b"low water"})
    (work / "post.zip").write_bytes(zipped({"a.zip": inner, "b.txt": b"text"}))

    assert main(["convert", "post.zip", "-d", "out"]) == 3
    assert capfd.readouterr().err.count("[content_too_large]") >= 2
    assert written(work / "out") == {"post.md", "post/a.md"}


def test_one_archive_to_stdout_is_a_list_and_says_how_to_have_its_files(
    work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (work / "post.zip").write_bytes(zipped({"a.txt": b"text"}))

    assert main(["convert", "post.zip"]) == 0
    told = capfd.readouterr()
    assert "| a.txt | 4 |" in told.out
    assert "-d DIR" in told.err
