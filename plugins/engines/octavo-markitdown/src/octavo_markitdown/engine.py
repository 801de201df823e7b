"""The only module that calls MarkItDown: one converter, no plugins, no model, no guessing, typed errors."""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from octavo_contracts import (
    ConversionWarning,
    MemoryExceeded,
    OctavoError,
    SourceCorrupt,
    ToolUnavailable,
    UnsupportedFormat,
)

from .deferred_imports import import_engine

if TYPE_CHECKING:
    from markitdown import DocumentConverter

    from .formats import Format

PLUGIN = "markitdown"
INSTALL = "Run `pip install 'markitdown[docx,outlook,pdf,pptx,xls,xlsx]'`"
ENCRYPTED_REMEDY = "Save a copy without a password: markitdown takes none"

_LONGEST_CAUSE = 200


@dataclass(frozen=True, kw_only=True)
class EngineText:
    """The engine's result for a document.

    Attributes:
        markdown: its markdown.
        title: the title it found, or None.
        warnings: what it had to leave out.
    """

    markdown: str
    title: str | None = None
    warnings: tuple[ConversionWarning, ...] = ()


def run_engine(data: bytes, *, form: Format, media_type: str, charset: str | None = None) -> EngineText:
    """Convert bytes with the format's one converter.

    That converter alone is called: the engine's front end would try others when it fails, some of which ask the network,
    and would guess the type with a model. The extension and type are given, so that nothing is guessed.

    Args:
        data: the document.
        form: the format, which names the converter.
        media_type: the type that the core detected.
        charset: encoding of a text format.

    Raises:
        ToolUnavailable: the engine, or a library of this format, is not installed.
        UnsupportedFormat: the converter does not take these bytes.
        MemoryExceeded: memory ended inside the converter.
        SourceCorrupt: the converter failed; the message names the cause's class.
    """
    converter = _converter(form.converter)
    from markitdown import StreamInfo

    info = StreamInfo(mimetype=media_type, extension=form.extension, charset=charset)
    stream = io.BytesIO(data)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if not converter.accepts(stream, info):
            raise UnsupportedFormat(f"{form.converter} does not take these bytes as {media_type}", plugin=PLUGIN)
        try:
            result = converter.convert(stream, info)
        except Exception as error:
            raise _typed(error, form.converter) from error
    nested = [warning for warning in caught if "nested" in str(warning.message)]
    lost = ConversionWarning(
        code="partial_conversion", message="The document is nested too deeply: its text was kept, its structure lost."
    )
    return EngineText(markdown=_normalised(result.markdown), title=result.title, warnings=(lost,) if nested else ())


def _converter(name: str) -> DocumentConverter:
    try:
        import_engine()
        from markitdown import converters
    except ImportError as error:
        raise ToolUnavailable(f"MarkItDown cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    made: DocumentConverter = getattr(converters, name)()
    return made


def _normalised(markdown: str) -> str:
    """As MarkItDown's own front end leaves it: no blanks at the ends of lines, one empty line in a row."""
    lines = "\n".join(line.rstrip() for line in re.split(r"\r?\n", markdown))
    return re.sub(r"\n{3,}", "\n\n", lines)


def _typed(cause: Exception, converter: str) -> OctavoError:
    name = type(cause).__name__
    if name == "MissingDependencyException":
        return ToolUnavailable(f"{converter} lacks a library", plugin=PLUGIN, remedy=INSTALL)
    if isinstance(cause, MemoryError):
        return MemoryExceeded(f"{converter} ran out of memory", plugin=PLUGIN)
    return SourceCorrupt(f"{converter} failed with {name}: {str(cause)[:_LONGEST_CAUSE]}", plugin=PLUGIN)
