"""The plugin's hooks; the work is in `convert`, and a format's module is imported when it is needed."""

from __future__ import annotations

from octavo_contracts import Conversion, ConvertRequest, HookContext, SourceView, hookimpl


@hookimpl
def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
    """Convert a text document; see `octavo_plaintext.convert.convert_text`."""
    from .convert import convert_text

    return convert_text(source, request)
