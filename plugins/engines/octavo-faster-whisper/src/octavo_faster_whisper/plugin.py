"""The hooks of the plugin `faster-whisper`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import hookimpl

if TYPE_CHECKING:
    from octavo_contracts import Conversion, ConvertRequest, HookContext, SourceView


@hookimpl
def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
    """Transcribe a recording; see `octavo_faster_whisper.convert.transcribe`. Nothing is written, so the context is not used."""
    from .convert import transcribe

    return transcribe(source, request=request)
