"""The hooks of the plugin `docling`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import hookimpl

if TYPE_CHECKING:
    from octavo_contracts import Conversion, ConvertRequest, HookContext, SourceView


@hookimpl
def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
    """Convert a document; see `octavo_docling.convert.convert_document`. Nothing is written, so the context is not used."""
    from .convert import convert_document

    return convert_document(source, request=request)
