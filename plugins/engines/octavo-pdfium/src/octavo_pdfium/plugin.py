"""The hooks of the plugin `pdfium`."""

from __future__ import annotations

from octavo_contracts import Conversion, ConvertRequest, HookContext, SourceView, hookimpl


@hookimpl
def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
    """Convert a PDF file; see `octavo_pdfium.convert`."""
    from .convert import convert_pdf

    return convert_pdf(source, request, find_tables=context.options.get("tables") is True)
