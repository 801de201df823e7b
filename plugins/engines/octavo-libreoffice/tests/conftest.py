"""Documents that the tests write as flat OpenDocument and LibreOffice saves in older formats."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from octavo_conformance.hook_calls import ConvertCall
from octavo_libreoffice.plugin import convert

ODF = "application/vnd.oasis.opendocument"
TYPES = {
    ".doc": "application/msword",
    ".ppt": "application/vnd.ms-powerpoint",
    ".xls": "application/vnd.ms-excel",
    ".odp": f"{ODF}.presentation",
    ".odt": f"{ODF}.text",
    ".ods": f"{ODF}.spreadsheet",
    ".rtf": "application/rtf",
}
_NAMES = {
    "office": "office", "text": "text", "table": "table", "style": "style", "meta": "meta", "draw": "drawing",
    "presentation": "presentation", "fo": "xsl-fo-compatible", "svg": "svg-compatible", "number": "datastyle",
}  # fmt: skip
_KINDS = {"fodt": "text", "fodp": "presentation", "fods": "spreadsheet"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of this folder need the program, but for those that say what happens without it."""
    if shutil.which("soffice") is not None:
        return
    missing = pytest.mark.skip(
        reason="the program soffice is not on the PATH: apt-get install libreoffice-writer-nogui"
    )
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and "without_the_program" not in item.name:
            item.add_marker(missing)


@pytest.fixture
def convert_file(tmp_path: Path) -> ConvertCall:
    """`convert_file(path, …)`; keywords go to the request, `seconds` to the deadline."""
    return ConvertCall(convert, tmp_path, media_types=TYPES, seconds=120)


@pytest.fixture(scope="session")
def resaved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path, str], Path]:
    """`resaved(path, "ppt")`: a document as LibreOffice saves it in another format, beside it."""
    profile = tmp_path_factory.mktemp("profile")

    def make(path: Path, target: str) -> Path:
        place = f"-env:UserInstallation={profile.as_uri()}"
        command = ["soffice", place, "--headless", "--convert-to", target, "--outdir", str(path.parent), str(path)]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        return path.with_suffix(f".{target}")

    return make


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory, resaved: Callable[[Path, str], Path]) -> Callable[..., Path]:
    """`saved("fodt", body, "doc", styles=…)`: a hand-written document as LibreOffice saves it in another format."""

    def make(kind: str, body: str, target: str, *, styles: str = "", meta: str = "") -> Path:
        folder = tmp_path_factory.mktemp("saved")
        names = "".join(
            f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{uri}:1.0"' for name, uri in _NAMES.items()
        )
        names += ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
        flat = folder / f"document.{kind}"
        flat.write_text(
            f'<?xml version="1.0"?><office:document{names} office:version="1.2" office:mimetype="{ODF}.{_KINDS[kind]}">'
            f"<office:meta>{meta}</office:meta><office:automatic-styles>{styles}</office:automatic-styles>"
            f"<office:body><office:{_KINDS[kind]}>{body}</office:{_KINDS[kind]}></office:body></office:document>",
            encoding="utf-8",
        )
        return resaved(flat, target)

    return make
