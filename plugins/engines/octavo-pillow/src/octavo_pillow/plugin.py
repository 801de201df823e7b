"""The hooks of the plugin `pillow`."""

from __future__ import annotations

from octavo_contracts import Conversion, ConvertRequest, HookContext, SourceView, hookimpl


@hookimpl
def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
    """Describe an image; see `octavo_pillow.convert`."""
    from .convert import convert_image

    return convert_image(source, request)
