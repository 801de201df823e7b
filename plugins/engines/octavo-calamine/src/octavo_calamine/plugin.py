"""The hooks of the plugin `calamine`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import hookimpl

if TYPE_CHECKING:
    from octavo_contracts import Conversion, ConvertRequest, HookContext, SourceView


@hookimpl
def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
    """Convert a workbook; see `octavo_calamine.convert.convert_workbook`. Nothing is written, so the context is not used."""
    from .convert import convert_workbook

    return convert_workbook(source, request=request)
