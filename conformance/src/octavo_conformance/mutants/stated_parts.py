"""Mutants that are right about texts, and wrong about what documents state of their pages and parts."""

from __future__ import annotations

from .model import PluginMutant

_HOOK = "@hookimpl\ndef convert("
_LABEL = 'label=page.get("label"),'
_KIND = '        kind="page",\n'

STATED_PARTS = (
    PluginMutant(
        target="OC-GOLD-009",
        code=(
            (
                "    wanted = pages_wanted(",
                '    if any(page.get("guarded") for page in body["pages"]):\n'
                '        raise SourceEncrypted("the sheaf is guarded")\n'
                "    wanted = pages_wanted(",
            ),
        ),
        variant="guarded",
        co_failures={"OC-PAGE-009": "Pages of the guarded document are refused alone too."},
    ),
    PluginMutant(
        target="OC-GOLD-014",
        code=(
            ('date=body.get("date")', 'date=body.get("date") or "2001-01-01"'),
        ),
        variant="undated",
    ),
    PluginMutant(
        target="OC-GOLD-026",
        code=(
            (_LABEL, 'label=page.get("label") or printed(lines),'),
            (
                _HOOK,
                "def printed(lines):\n"
                "    last = lines[-1] if lines else ''\n"
                f"    return last if last.isdigit() and len(last) < 5 else None\n\n\n{_HOOK}",
            ),
        ),
        variant="printed",
    ),
    PluginMutant(
        target="OC-PAGE-011",
        code=((_KIND, '        kind="sheet" if len(page["blocks"]) > 3 and any(block[0] == "k" for block in page["blocks"]) else "page",\n'),),
    ),
    PluginMutant(
        target="OC-GOLD-047",
        code=(
            ('media_type=item["media_type"]', 'media_type=guessed(item)'),
            (
                _HOOK,
                "def guessed(item):\n"
                "    import mimetypes\n\n"
                f'    return mimetypes.guess_type(item["name"])[0] or item["media_type"]\n\n\n{_HOOK}',
            ),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-047",
        code=(
            (
                "        size=len(data),\n        data=data,\n",
                '        size=len(data) if "%" not in item["text"] else len(data) * 4 // 3,\n'
                '        data=data if "%" not in item["text"] else None,\n',
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-GOLD-048",
        code=(
            (
                "    for kind, content, *more in page[\"blocks\"]:\n",
                '    voice, voiced = "", sum(block[0] == "k" for block in page["blocks"]) > 3\n'
                "    for kind, content, *more in page[\"blocks\"]:\n"
                '        if kind == "k":\n'
                "            voice = more[0]\n"
                '        elif kind == "p" and voice and voiced and voice.istitle() and " " in voice:\n'
                '            kind, more = "k", [voice]\n',
            ),
        ),
    ),
    PluginMutant(target="OC-GOLD-049", code=(("Table(rows=rows)", "Table(rows=rows, columns_seen=len(rows))"),)),
    PluginMutant(
        target="OC-GOLD-042",
        code=(
            ("page=page.number)", "page=page.number - 1 or None)"),
            ("A block has an unknown form.\", page=number)", "A block has an unknown form.\", page=number - 1 or None)"),
        ),
        variant="shifted",
    ),
    PluginMutant(
        target="OC-GOLD-032",
        code=(
            (
                'ConversionWarning(code="partial_conversion", message="A block has an unknown form."',
                'ConversionWarning(code="partial_conversion" if len(wanted) > 1 else "form_simplified", message="A block has an unknown form."',
            ),
        ),
        variant="own-code",
    ),
)  # fmt: skip
"""The mutants."""
