"""A double of the service on loopback, a page to send to it, and the command line."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from octavo_cli import main
from octavo_conformance.page_pictures import page_image
from octavo_contracts import PageImage
from PIL import Image, ImageDraw

sys.path.insert(0, str(Path(__file__).parent))  # tests are imported by path: what they share has to be found

from azure_double import AzureDouble, serving


@pytest.fixture
def azure() -> Iterator[AzureDouble]:
    """A Document Intelligence that answers as its documentation says."""
    with serving() as double:
        yield double


@pytest.fixture(scope="session")
def png() -> bytes:
    """A picture of 850 by 1100 pixels, which is a letter page at 100 dots an inch."""
    picture = Image.new("L", (850, 1100), 255)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((100, 100, 600, 160), fill=0)
    pen.rectangle((100, 220, 500, 280), fill=0)
    out = io.BytesIO()
    picture.save(out, "PNG", dpi=(100, 100))
    return out.getvalue()


@pytest.fixture
def image(png: bytes) -> PageImage:
    """The picture as the host hands it on."""
    return page_image(png, size=(850, 1100), dpi=100, number=7)


@pytest.fixture
def letter(tmp_path: Path, png: bytes) -> Path:
    path = tmp_path / "letter.png"
    path.write_bytes(png)
    return path


@pytest.fixture
def octavo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], letter: Path
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command line in a folder that holds a letter."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main(arguments)
        return code, *capfd.readouterr()

    return run
