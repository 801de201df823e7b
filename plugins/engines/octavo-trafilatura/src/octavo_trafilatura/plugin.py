"""The plugin's hooks; the work is in `convert`, and trafilatura is imported when a page comes."""

from __future__ import annotations

from octavo_contracts import Conversion, ConvertRequest, HookContext, SourceView, hookimpl


@hookimpl
def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
    """Convert a web page; see `octavo_trafilatura.convert.convert_page`."""
    from .convert import convert_page

    return convert_page(source, request)
