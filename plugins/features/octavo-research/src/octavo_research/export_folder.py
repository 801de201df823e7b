"""Writes a report with the texts that it cites: a folder in which anybody can verify every quotation offline."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from octavo_contracts import UsageError
from octavo_sandbox.filesystem.durable import make_folder, storage_errors, write_file
from pydantic_core import to_json

from .report import ResearchReport

REPORT_JSON = "report.json"
REPORT_MARKDOWN = "report.md"
ARCHIVE = "archive"


def write_export(folder: Path, report: ResearchReport, texts: Mapping[str, str]) -> Path:
    """Write `report.md`, `report.json` and `archive/{hex}.txt`.

    Args:
        folder: created if it is missing.
        report: the report.
        texts: hash of a cited source (`sha256:…`) → its canonical text.

    Raises:
        UsageError: the folder is not empty, and is no earlier export of the same run.
        StorageError: the folder cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not an empty folder", remedy="Give a new folder")
    with storage_errors(folder, doing="writing a report"):
        make_folder(folder)
        make_folder(folder / ARCHIVE)
        for text_hash, text in texts.items():
            write_file(folder / ARCHIVE / f"{text_hash.removeprefix('sha256:')}.txt", text.encode())
        write_file(folder / REPORT_MARKDOWN, report.to_markdown().encode())
        # Last: a folder with a report.json is complete.
        write_file(folder / REPORT_JSON, report_json(report))
    return folder


def report_json(report: ResearchReport) -> bytes:
    """The bytes of `report.json`."""
    return to_json(report.to_dict(), indent=2) + b"\n"
