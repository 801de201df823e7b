"""The only module that calls MarkItDown: one converter, no plugins, no model, no guessing, typed errors."""

from __future__ import annotations

import io
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

if TYPE_CHECKING:
    from markitdown import FileConversionException, MarkItDown

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

    Only that converter is registered: the engine's others would be tried when it fails, and some of them ask the
    network. Its own extension and type are given, so that nothing is guessed.

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
    engine = _engine(form.converter)
    from markitdown import FileConversionException, StreamInfo, UnsupportedFormatException

    info = StreamInfo(mimetype=media_type, extension=form.extension, charset=charset)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = engine.convert_stream(io.BytesIO(data), stream_info=info)
        except UnsupportedFormatException as error:
            raise UnsupportedFormat(
                f"{form.converter} does not take these bytes as {media_type}", plugin=PLUGIN
            ) from error
        except FileConversionException as error:
            raise _typed(error, form.converter) from error
    nested = [warning for warning in caught if "nested" in str(warning.message)]
    lost = ConversionWarning(
        code="partial_conversion", message="The document is nested too deeply: its text was kept, its structure lost."
    )
    return EngineText(markdown=result.markdown, title=result.title, warnings=(lost,) if nested else ())


def _engine(converter: str) -> MarkItDown:
    try:
        import markitdown
        from markitdown import converters
    except ImportError as error:
        raise ToolUnavailable(f"MarkItDown cannot be imported: {error}", plugin=PLUGIN, remedy=INSTALL) from error
    engine = markitdown.MarkItDown(enable_builtins=False, enable_plugins=False)
    engine.register_converter(getattr(converters, converter)())
    return engine


def _typed(error: FileConversionException, converter: str) -> OctavoError:
    """The typed error of the first failure that the engine swallowed."""
    causes = [attempt.exc_info[1] for attempt in error.attempts or () if attempt.exc_info and attempt.exc_info[1]]
    cause: BaseException = causes[0] if causes else error
    name = type(cause).__name__
    if name == "MissingDependencyException":
        return ToolUnavailable(f"{converter} lacks a library", plugin=PLUGIN, remedy=INSTALL)
    if isinstance(cause, MemoryError):
        return MemoryExceeded(f"{converter} ran out of memory", plugin=PLUGIN)
    return SourceCorrupt(f"{converter} failed with {name}: {str(cause)[:_LONGEST_CAUSE]}", plugin=PLUGIN)
