"""A double of a server with a vision model, and a page to send to it."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo_conformance.page_pictures import page_image
from octavo_contracts import PageImage
from PIL import Image, ImageDraw

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported by path: what they share has to be found

from vision_server_double import VisionServerDouble, serving


@pytest.fixture
def server() -> Iterator[VisionServerDouble]:
    """An OpenAI-compatible server that answers as its documentation says."""
    with serving() as double:
        yield double


@pytest.fixture(scope="session")
def png() -> bytes:
    """A picture of 850 by 1100 pixels without text."""
    picture = Image.new("L", (850, 1100), 255)
    ImageDraw.Draw(picture).rectangle((200, 300, 600, 700), fill=90)
    out = io.BytesIO()
    picture.save(out, "PNG", dpi=(100, 100))
    return out.getvalue()


@pytest.fixture
def photo(tmp_path: Path, png: bytes) -> Path:
    path = tmp_path / "photo.png"
    path.write_bytes(png)
    return path


@pytest.fixture
def image(png: bytes) -> PageImage:
    """The picture as the host passes it to the hook."""
    return page_image(png, size=(850, 1100), dpi=100, number=7)
