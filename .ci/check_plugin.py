"""Call each hook of one plugin directly, with nothing installed but the contracts and the plugin.

A missing declared dependency shows here as an import error. Usage: check_plugin.py NAME SAMPLES
"""

import hashlib
import importlib
import struct
import sys
import tempfile
import time
import wave
import zlib
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

from octavo_contracts import (
    MANIFEST_NAME,
    Conversion,
    ConvertRequest,
    DocumentClassification,
    EntityRequest,
    FileSource,
    HookContext,
    LiteralExtractor,
    OCRRequest,
    OCRResult,
    PageImage,
    PluginManifest,
    ToolUnavailable,
)
from octavo_contracts.services import SERVICE_KINDS

TEXT = "Date: 1 May 2026. Ada Quay met Ben Pier in Lisbon."
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"date": {"type": "string", "format": "date"}}}

MEDIA_TYPES = {
    ".csv": "text/csv",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".eml": "message/rfc822",
    ".html": "text/html",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".txt": "text/plain",
    ".vtt": "text/vtt",
    ".wav": "audio/wav",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def main(name: str, samples: Path) -> int:
    """Convert every sample the plugin reads; the exit code is 0 when at least one was read and none raised."""
    name = name.removeprefix("plugin-")
    (point,) = [point for point in entry_points(group="octavo") if point.name == name]
    package = point.value.partition(".")[0]
    manifest = PluginManifest.from_toml(files(package).joinpath(MANIFEST_NAME).read_text(encoding="utf-8"))
    assert "octavo" not in sys.modules
    try:
        importlib.import_module("octavo")
    except ModuleNotFoundError:
        pass
    else:
        raise SystemExit("octavo is installed here: this check needs the contracts and the plugin alone")
    module = importlib.import_module(point.value)
    if not {"classify", "convert", "ocr"} & set(manifest.hooks):
        return read_texts(module, manifest)
    read = 0
    if "ocr" in manifest.hooks:
        recognise_blank_page(name, module)
        read += 1
    scratch = tempfile.TemporaryDirectory()
    picture = Path(scratch.name, "blank.png")
    picture.write_bytes(blank_png(400, 300))
    silence = Path(scratch.name, "silence.wav")
    write_silence(silence)
    for path in [*sorted(samples.iterdir()), picture, silence]:
        media_type = MEDIA_TYPES.get(path.suffix)
        if media_type not in manifest.media_types:
            continue
        with tempfile.TemporaryDirectory() as folder:
            context = HookContext(work_dir=Path(folder), deadline=time.monotonic() + 60)
            source = FileSource(path, media_type=media_type, work_dir=Path(folder))
            given = {"source": source, "request": ConvertRequest(media_type=media_type), "context": context}
            if "convert" not in manifest.hooks:
                classification = module.classify(source=source, context=context)
                assert isinstance(classification, DocumentClassification)
                print(f"{name}: {path.name}: {classification.document_type}")
                read += 1
                continue
            wanted = module.convert.__code__.co_varnames[: module.convert.__code__.co_argcount]
            try:
                conversion = module.convert(**{key: given[key] for key in wanted})
            except ToolUnavailable as error:
                if path is not silence or manifest.engine.module is None:
                    raise
                importlib.import_module(manifest.engine.module)  # the weights may be missing, the engine may not
                print(f"{name}: {error}")
                read += 1
                continue
        assert isinstance(conversion, Conversion)
        assert any(page.markdown.strip() for page in conversion.pages) or "scan" in path.name or path is silence
        print(f"{name}: {path.name}: {len(conversion.pages)} pages")
        read += 1
    scratch.cleanup()
    if not read:
        raise SystemExit(f"{name} read none of the samples in {samples}")
    return 0


def write_silence(path: Path) -> None:
    """A second of silence, in which nobody says anything."""
    with wave.open(str(path), "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(16_000)
        made.writeframes(bytes(32_000))


def recognise_blank_page(name: str, module: ModuleType) -> None:
    """A recogniser finds nothing on a blank page; that it looked shows that its engine is there."""
    png = blank_png(400, 300)
    image = PageImage(
        page_number=1, page_fingerprint=hashlib.sha256(png).hexdigest(), width=400, height=300, dpi=150, png=png
    )
    with tempfile.TemporaryDirectory() as folder:
        context = HookContext(work_dir=Path(folder), deadline=time.monotonic() + 120)
        result = module.ocr(image=image, request=OCRRequest(), context=context)
    assert isinstance(result, OCRResult)
    assert result.extracted_text == ""
    print(f"{name}: a blank page, by version {result.tool_version}")


def blank_png(width: int, height: int) -> bytes:
    """A white picture, without a library."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = (b"\0" + b"\xff" * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def read_texts(module: ModuleType, manifest: PluginManifest) -> int:
    """As `main`, for a plugin that reads texts: its hook, which may say that weights are missing, and its services."""
    if "extract_entities" in manifest.hooks:
        with tempfile.TemporaryDirectory() as folder:
            context = HookContext(work_dir=Path(folder), deadline=time.monotonic() + 60)
            try:
                found = module.extract_entities(TEXT, EntityRequest(), context)
                assert all(TEXT[one.start : one.end] == one.text for one in found)
            except ToolUnavailable as error:
                print(f"{manifest.name}: {error}")
    for kind, factory in manifest.services.items():
        name, _, attribute = factory.partition(":")
        service = getattr(importlib.import_module(name), attribute)()
        assert isinstance(service, SERVICE_KINDS[kind])
        if isinstance(service, LiteralExtractor):
            assert service.extract(TEXT, SCHEMA)["date"].value == "2026-05-01"
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], Path(sys.argv[2])))
