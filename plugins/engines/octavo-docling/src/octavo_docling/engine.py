"""Calls Docling: one converter per process and format, offline, with typed errors."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from octavo_contracts import ContentTooLarge, DocumentError, SourceCorrupt, SourceEncrypted, ToolUnavailable

from .weights import INSTALL_MODELS, REMEDY, has_table_model

PLUGIN: Final = "docling"
INSTALL: Final = "Run: pip install octavo-docling"
ENCRYPTED_REMEDY: Final = "Open it in its program, take the password off, and try again"


def read(data: bytes, *, name: str, folder: Path | None = None, password: str | None = None, max_pages: int) -> Any:
    """Let Docling read a document.

    Args:
        data: the document.
        name: Docling's name of the format.
        folder: of the weights; None for the formats that need none.
        password: of a PDF.
        max_pages: Docling gives up above it.

    Returns:
        Docling's `ConversionResult`.

    Raises:
        SourceCorrupt: Docling cannot read the bytes.
        SourceEncrypted: a PDF that wants a password, or another one.
        ContentTooLarge: it has more pages.
        ToolUnavailable: Docling is not installed, or the weights cannot be loaded.
    """
    with environment_kept():
        converter = _converter(name, folder)
        from docling.datamodel.base_models import DocumentStream

        if name == "pdf":
            _unlock(converter, password)
        stream = DocumentStream(name=f"document.{name}", stream=io.BytesIO(data))
        try:
            result = converter.convert(stream, max_num_pages=max_pages, raises_on_error=False)
        # What Docling does not catch itself: its own errors are RuntimeErrors, the others those of its libraries.
        except (RuntimeError, ValueError, LookupError, TypeError, AttributeError, OSError) as error:
            raise SourceCorrupt(f"docling failed with {type(error).__name__}: {error}", plugin=PLUGIN) from error
    if result.status.value not in ("success", "partial_success"):
        locked = name == "pdf" and _is_locked(data, password)
        raise _failure(result, is_locked=locked, max_pages=max_pages)
    return result


def _failure(result: Any, *, is_locked: bool, max_pages: int) -> DocumentError:
    """What a conversion that failed says, as a typed error."""
    if result.input.page_count > max_pages:
        return ContentTooLarge(f"{result.input.page_count} pages are above the limit of {max_pages}", plugin=PLUGIN)
    if is_locked:
        return SourceEncrypted("the document needs a password, or another one", plugin=PLUGIN)
    said = " ".join(" ".join(error.error_message for error in result.errors).split()) or "it does not say why"
    return SourceCorrupt(f"docling cannot read the document: {said}", plugin=PLUGIN)


def _is_locked(data: bytes, password: str | None) -> bool:
    """Whether a PDF does not open for its password; Docling's own reader does not tell that from damage."""
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        PdfDocument(data, password=password).close()
    except PdfiumError as error:
        return "password" in str(error).lower()
    return False


@contextmanager
def environment_kept() -> Iterator[None]:
    """The hub kept offline, and after that every variable as it was: libraries that Docling imports set some."""
    before = dict(os.environ)
    # Weights are in the folder, or they are not there.
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        yield
    finally:
        for variable in os.environ.keys() - before.keys():
            del os.environ[variable]
        os.environ.update(before)


@cache
def _converter(name: str, folder: Path | None) -> Any:
    try:
        from docling.datamodel.base_models import InputFormat
        from docling.document_converter import DocumentConverter
    except ImportError as error:
        raise ToolUnavailable(f"docling cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    if folder is None:
        return DocumentConverter(allowed_formats=[InputFormat(name)])
    return _pdf_converter(folder)


def _unlock(converter: Any, password: str | None) -> None:
    """Give the PDF backend the document's password, or take that of the document before."""
    from docling.datamodel.backend_options import PdfBackendOptions
    from docling.datamodel.base_models import InputFormat

    options = PdfBackendOptions(password=password) if password is not None else None
    converter.format_to_options[InputFormat.PDF].backend_options = options


def _pdf_converter(folder: Path) -> Any:
    """The standard pipeline with the weights of a folder, loaded: pages without a text layer stay without one."""
    from docling.datamodel.accelerator_options import AcceleratorDevice, AcceleratorOptions
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.pipeline_options import PdfPipelineOptions
    from docling.document_converter import DocumentConverter, PdfFormatOption

    options = PdfPipelineOptions(
        artifacts_path=folder,
        do_ocr=False,
        do_table_structure=has_table_model(folder),
        accelerator_options=AcceleratorOptions(device=AcceleratorDevice.CPU, num_threads=_threads()),
    )
    converter = DocumentConverter(
        allowed_formats=[InputFormat.PDF], format_options={InputFormat.PDF: PdfFormatOption(pipeline_options=options)}
    )
    try:
        converter.initialize_pipeline(InputFormat.PDF)
    except ImportError as error:
        message = f"what runs the layout model cannot be imported: {error}"
        raise ToolUnavailable(message, plugin=PLUGIN, remedy=INSTALL_MODELS) from error
    # The hub's LocalEntryNotFoundError is an OSError.
    except (RuntimeError, OSError, ValueError, LookupError, TypeError) as error:
        message = f"the weights in {folder} cannot be loaded: {error}"
        raise ToolUnavailable(message, plugin=PLUGIN, remedy=REMEDY) from error
    return converter


def _threads() -> int:
    said = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, int(said)) if said.isdecimal() else 1


def engine_version() -> str | None:
    """Version of Docling, or None if unknown."""
    try:
        return version("docling-slim")
    except PackageNotFoundError:
        return None
