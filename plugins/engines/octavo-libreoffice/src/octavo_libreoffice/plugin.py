"""The hooks of the plugin `libreoffice`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import hookimpl

if TYPE_CHECKING:
    from octavo_contracts import Conversion, ConvertRequest, HookContext, SourceView


@hookimpl
def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
    """Convert a document; see `octavo_libreoffice.convert.convert_document`."""
    from .convert import convert_document

    return convert_document(source, request=request, context=context)
