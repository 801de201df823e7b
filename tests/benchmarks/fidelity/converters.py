"""The converters that are compared, each as a function from a file to markdown; only those that are installed."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path

Converter = Callable[[Path], str]
UNREAD = {
    "pandoc": frozenset({"doc", "eml", "pptx", "xlsx"}),
    "markitdown": frozenset({"doc", "odt", "rtf"}),
    "docling": frozenset({"doc", "eml", "epub", "odt", "rtf"}),
}
"""Converter → the made formats that it does not read."""


DISTRIBUTIONS = {"docling": "docling-slim"}
"""Converter → its distribution, where that has another name."""


def installed() -> dict[str, Converter]:
    """Octavo first, then the others by name."""
    found: dict[str, Converter] = {"octavo": _octavo}
    if importlib.util.find_spec("markitdown"):
        found["markitdown"] = _markitdown
    if importlib.util.find_spec("docling"):
        found["docling"] = _docling
    if shutil.which("pandoc"):
        found["pandoc"] = _pandoc
    if importlib.util.find_spec("xberg"):
        found["xberg"] = _xberg
    return found


def versions(names: Iterable[str]) -> dict[str, str]:
    """The version of each converter."""
    found = {}
    for name in names:
        if name == "pandoc":
            said = subprocess.run(
                ["pandoc", "--version"], capture_output=True, text=True, check=True, timeout=60
            ).stdout
            found[name] = said.split()[1]
        else:
            found[name] = version(DISTRIBUTIONS.get(name, name))
    return found


def reads(name: str, form: str) -> bool:
    """Whether a converter claims to read a format; one that does not has no figure for it."""
    return form not in UNREAD.get(name, ())


def _octavo(path: Path) -> str:
    import octavo

    return str(octavo.convert(path).markdown)


def _markitdown(path: Path) -> str:
    from markitdown import MarkItDown

    return str(MarkItDown().convert(path).markdown)


def _docling(path: Path) -> str:
    from docling.document_converter import DocumentConverter

    return str(DocumentConverter().convert(path).document.export_to_markdown())


def _pandoc(path: Path) -> str:
    command = ["pandoc", "--to=gfm", "--wrap=none", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def _xberg(path: Path) -> str:
    import asyncio
    import mimetypes

    import xberg

    config = xberg.ExtractionConfig(
        disable_ocr=True, use_cache=False, output_format="markdown", concurrency=xberg.ConcurrencyConfig(max_threads=1)
    )
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    source = xberg.ExtractInput(kind="bytes", bytes=path.read_bytes(), mime_type=kind)
    return str(asyncio.run(xberg.extract(source, config)).results[0].content)
