"""A tiny PDF writer, so that every test says byte for byte what its document holds."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from octavo_contracts import FileSource, HookContext


def show(text: str, x: float, y: float, *, size: float = 12, mode: int = 0, colour: str = "0 g") -> bytes:
    """Operators that show one string at a place; `mode` is the text render mode."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"q {colour} BT /F1 {size} Tf {mode} Tr 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET Q\n".encode("cp1252")


def paragraph(lines: list[str], *, x: float = 72, y: float = 700, size: float = 12, leading: float = 14) -> bytes:
    """One line of text under the other."""
    return b"".join(show(line, x, y - leading * index, size=size) for index, line in enumerate(lines))


@dataclass(frozen=True)
class PdfPage:
    """One page: its content operators and what its dictionary says."""

    content: bytes = b""
    width: float = 612
    height: float = 792
    rotate: int = 0
    extra: str = ""
    resources: str = ""


@dataclass
class PdfFile:
    """The objects of a file under construction; object 1 is the catalog, 2 the page tree, 3 Helvetica."""

    pages: list[PdfPage]
    info: dict[str, str] = field(default_factory=dict)
    catalog: str = ""
    objects: list[bytes] = field(default_factory=list)

    def add(self, body: bytes) -> int:
        """Append an object; its number."""
        self.objects.append(body)
        return len(self.objects)

    def stream(self, data: bytes, entries: str = "", *, compress: bool = True) -> int:
        """Append a stream object; its number."""
        packed = zlib.compress(data) if compress else data
        flate = " /Filter /FlateDecode" if compress else ""
        return self.add(f"<< /Length {len(packed)}{flate} {entries} >>\nstream\n".encode() + packed + b"\nendstream")

    def to_bytes(self, *, reserved: tuple[bytes, ...] = ()) -> bytes:
        """The file: pages after the fixed objects and after `reserved`, which start at number 4."""
        self.objects = [b"", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"]
        self.objects += reserved
        kids = []
        for page in self.pages:
            content = self.stream(page.content)
            kids.append(
                self.add(
                    f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {page.width} {page.height}] /Rotate {page.rotate}"
                    f" /Resources << /Font << /F1 3 0 R >> {page.resources} >> /Contents {content} 0 R"
                    f" {page.extra} >>".encode()
                )
            )
        self.objects[0] = f"<< /Type /Catalog /Pages 2 0 R {self.catalog} >>".encode()
        refs = " ".join(f"{kid} 0 R" for kid in kids)
        self.objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{refs}] >>".encode()
        return self._joined()

    def _joined(self) -> bytes:
        trailer = ""
        if self.info:
            entries = " ".join(f"/{key} <FEFF{value.encode('utf-16-be').hex()}>" for key, value in self.info.items())
            trailer = f"/Info {self.add(f'<< {entries} >>'.encode())} 0 R"
        out, offsets = bytearray(b"%PDF-1.7\n"), []
        for number, body in enumerate(self.objects, start=1):
            offsets.append(len(out))
            out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
        out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        out += f"trailer << /Size {len(offsets) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
        return bytes(out)


GREY_PIXEL = b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\nstream\n\x80\nendstream"


@dataclass(frozen=True)
class PdfWriter:
    """The writer's parts, for tests."""

    show = staticmethod(show)
    paragraph = staticmethod(paragraph)
    Page = PdfPage
    File = PdfFile
    grey_pixel = GREY_PIXEL


@pytest.fixture(scope="session")
def pdf() -> PdfWriter:
    """The PDF writer."""
    return PdfWriter()


@pytest.fixture
def context(tmp_path: Path) -> HookContext:
    """A hook's context with a private work folder and a deadline a minute away."""
    folder = tmp_path / "work"
    folder.mkdir()
    return HookContext(work_dir=folder, deadline=time.monotonic() + 60)


@pytest.fixture
def source(tmp_path: Path) -> Callable[..., FileSource]:
    """Makes a source of bytes."""

    def make(data: bytes, *, name: str = "sample.pdf", media_type: str = "application/pdf") -> FileSource:
        path = tmp_path / name
        path.write_bytes(data)
        return FileSource(path, media_type=media_type)

    return make


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The corpus of real documents, or a skip."""
    default = Path(__file__).resolve().parents[5] / "shared" / "corpus" / "dev"
    folder = Path(os.environ.get("OCTAVO_CORPUS", default))
    if not (folder / "manifest.json").is_file():
        pytest.skip(f"no corpus at {folder}: set OCTAVO_CORPUS to its folder")
    return folder
