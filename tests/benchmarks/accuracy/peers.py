"""Libraries read bare, beside Octavo: each in a process of its own that dies and is begun again with a document it cannot bear."""

from __future__ import annotations

import importlib.util
import json
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import IO, Any

from octavo_contracts import Conversion, Page

from .manifest import Document
from .reading import Reading

_LOOP = """
import json, resource, sys
answer = sys.stdout
sys.stdout = sys.stderr
{setup}
for line in sys.stdin:
    try:
        found = {{"pages": read(json.loads(line))}}
    except Exception as error:
        found = {{"error": f"{{type(error).__name__}}: {{error}}"[:500]}}
    found["mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found), file=answer, flush=True)
"""

_XBERG = """
import asyncio, mimetypes, xberg
config = xberg.ExtractionConfig(
    {recognition}, use_cache=False, output_format="markdown", concurrency=xberg.ConcurrencyConfig(max_threads=1)
)
def read(path):
    with open(path, "rb") as stream:
        data = stream.read()
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    source = xberg.ExtractInput(kind="bytes", bytes=data, mime_type=kind)
    return [asyncio.run(xberg.extract(source, config)).results[0].content]
"""

_KREUZBERG = """
import kreuzberg
config = kreuzberg.ExtractionConfig(
    disable_ocr=True,
    use_cache=False,
    output_format={output!r},
    concurrency=kreuzberg.ConcurrencyConfig(max_threads=1),
)
def read(path):
    return [kreuzberg.extract_file_sync(path, config=config).content]
"""

PEERS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "bare-pypdfium2": (
        "pypdfium2",
        (".pdf",),
        """
import pypdfium2
def read(path):
    document = pypdfium2.PdfDocument(path)
    return [page.get_textpage().get_text_range() for page in document]
""",
    ),
    "bare-pypdf": (
        "pypdf",
        (".pdf",),
        """
import pypdf
def read(path):
    return [page.extract_text() for page in pypdf.PdfReader(path).pages]
""",
    ),
    "bare-pdfminer": (
        "pdfminer",
        (".pdf",),
        """
from pdfminer.high_level import extract_text
def read(path):
    return extract_text(path).rstrip("\\f").split("\\f")
""",
    ),
    "bare-markitdown": (
        "markitdown",
        (),
        """
from markitdown import MarkItDown
converter = MarkItDown()
def read(path):
    return [converter.convert_local(path).markdown]
""",
    ),
    "bare-kreuzberg": ("kreuzberg", (), _KREUZBERG.format(output="markdown")),
    "bare-kreuzberg-plain": ("kreuzberg", (), _KREUZBERG.format(output="plain")),
    "bare-xberg": ("xberg", (), _XBERG.format(recognition="disable_ocr=True")),
    "bare-xberg-ocr": ("xberg", (), _XBERG.format(recognition="ocr=xberg.OcrConfig(language=['eng'])")),
}
"""Name → the module it needs, the extensions it is given (none: all), and a program that defines `read(path)`."""
_MARKDOWN = frozenset({"bare-markitdown", "bare-kreuzberg", "bare-xberg", "bare-xberg-ocr"})


def available() -> tuple[str, ...]:
    """The peers whose library is installed."""
    return tuple(name for name, (module, _, _) in PEERS.items() if importlib.util.find_spec(module) is not None)


def read(documents: Sequence[Document], *, engine: str, timeout: float) -> Iterator[tuple[Document, Reading]]:
    """Read documents one after the other. None of a peer's output is completed, recognised or judged.

    Args:
        documents: what to read.
        engine: a name of `PEERS`.
        timeout: seconds a document may take; the process is then killed.
    """
    _, extensions, setup = PEERS[engine]
    process: subprocess.Popen[str] | None = None
    try:
        for document in documents:
            if extensions and document.path.suffix.lower() not in extensions:
                yield document, Reading(status="unsupported", tool=engine, error="not its format")
                continue
            process = process if process and process.poll() is None else _start(setup)
            begun = time.perf_counter()
            found = _ask(process, document, timeout=timeout)
            yield document, _reading(engine, found, seconds=time.perf_counter() - begun)
    finally:
        if process is not None:
            _stop(process)


def _start(setup: str) -> subprocess.Popen[str]:
    program = _LOOP.format(setup=setup)
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _ask(process: subprocess.Popen[str], document: Document, *, timeout: float) -> dict[str, Any]:
    stdin, stdout = _pipes(process)
    stdin.write(json.dumps(str(document.path)) + "\n")
    stdin.flush()
    with selectors.DefaultSelector() as selector:
        selector.register(stdout, selectors.EVENT_READ)
        ready = selector.select(timeout)
    line = stdout.readline() if ready else ""
    if not line:
        _stop(process)
        return {"error": "died" if ready else f"took more than {timeout:g} s"}
    found: dict[str, Any] = json.loads(line)
    return found


def _reading(engine: str, found: dict[str, Any], *, seconds: float) -> Reading:
    if "error" in found:
        return Reading(
            status="error", tool=engine, seconds=seconds, peak_rss_mb=found.get("mb", 0.0), error=found["error"]
        )
    texts = [text.encode("utf-8", "replace").decode() for text in found["pages"]] or [""]
    paged = len(texts) > 1
    is_markdown = engine in _MARKDOWN
    pages = tuple(
        Page(
            number=number,
            kind="page" if paged else "whole",
            markdown=text if is_markdown else "",
            text=None if is_markdown else text,
        )
        for number, text in enumerate(texts, start=1)
    )
    return Reading(
        status="ok",
        tool=engine,
        conversion=Conversion(pages=pages, paginated=paged),
        seconds=seconds,
        peak_rss_mb=found["mb"],
    )


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None  # both are asked for where it is started
    assert process.stdout is not None
    return process.stdin, process.stdout


def _stop(process: subprocess.Popen[str]) -> None:
    process.kill()
    for pipe in _pipes(process):
        try:
            pipe.close()
        except BrokenPipeError:
            continue
    process.wait()
