"""The hooks of the plugin `liteparse`."""

from __future__ import annotations

from octavo_contracts import Conversion, ConvertRequest, HookContext, SourceView, hookimpl


@hookimpl
def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
    """Convert a PDF file; see `octavo_liteparse.convert`."""
    from .convert import convert_pdf

    return convert_pdf(source, request)
