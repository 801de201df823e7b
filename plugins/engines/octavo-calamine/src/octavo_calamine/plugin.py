"""The hooks of the plugin `calamine`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_contracts import hookimpl

if TYPE_CHECKING:
    from octavo_contracts import Conversion, ConvertRequest, SourceView


@hookimpl
def convert(source: SourceView, request: ConvertRequest) -> Conversion:
    """Convert a workbook; see `octavo_calamine.convert.convert_workbook`."""
    from .convert import convert_workbook

    return convert_workbook(source, request=request)
