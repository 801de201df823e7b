"""Converting a file, and PDF files written by hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_contracts import Conversion, ConvertRequest, FileSource, HookContext
from octavo_xberg.plugin import convert

PDF = "application/pdf"
Convert = Callable[..., Conversion]


@pytest.fixture
def convert_bytes(tmp_path: Path) -> Convert:
    """`convert_bytes(data, …)`; keywords go to the request."""

    def run(data: bytes, **request: object) -> Conversion:
        path = tmp_path / "document.pdf"
        path.write_bytes(data)
        media_type = str(request.pop("media_type", PDF))
        context = HookContext(work_dir=tmp_path, deadline=time.monotonic() + 60)
        return convert(FileSource(path, media_type=PDF), ConvertRequest(media_type=media_type, **request), context)

    return run


@pytest.fixture
def pdf() -> Callable[..., bytes]:
    """`pdf([(size, x, y, text), …], [], rotate=90)`: a PDF of some pages of Helvetica."""

    def make(*pages: list[tuple[int, int, int, str]], rotate: int = 0) -> bytes:
        objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
        kids = []
        for lines in pages:
            content = "".join(f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET\n" for size, x, y, text in lines).encode()
            objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(content), content))
            objects.append(
                b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Rotate %d/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
                % (rotate, len(objects))
            )
            kids.append(b"%d 0 R" % len(objects))
        objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(kids))
        out, places = b"%PDF-1.4\n", []
        for number, body in enumerate(objects, start=1):
            places.append(len(out))
            out += b"%d 0 obj%s\nendobj\n" % (number, body)
        table = b"".join(b"%010d 00000 n \n" % place for place in places)
        tail = b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"
        return out + tail % (len(objects) + 1, table, len(objects) + 1, len(out))

    return make
