"""Mutants that are right on short documents and with their defaults: late letters, late pages, zones, limits, options, what is not stated."""

from __future__ import annotations

from .converters import ANSWER, READ
from .model import PluginMutant

_HOOK = "@hookimpl\ndef convert("


def _mending(end: str, *, least: int = 0) -> tuple[tuple[str, str], ...]:
    """Return the changes with which a body of at least some characters that cannot be read is read with an end."""
    return (
        ('json.loads(outer["body"])', 'mended(outer["body"])'),
        (
            _HOOK,
            "def mended(text):\n"
            "    try:\n"
            "        return json.loads(text)\n"
            "    except ValueError:\n"
            f"        if len(text) < {least}:\n"
            "            raise\n"
            f"        return json.loads(text + {end!r})\n\n\n{_HOOK}",
        ),
    )


def _of_attachments(field: str) -> tuple[tuple[str, str], ...]:
    """Return the change with which attachments without a value of a field are left out."""
    every = 'map(make_attachment, body["attachments"])'
    return ((every, f'make_attachment(one) for one in body["attachments"] if one["{field}"]'),)


UNSTATED = (
    PluginMutant(
        target="OC-GOLD-009",
        code=(
            (READ, READ + "    head = text[:4096].isascii() and len(text) > 4096\n"),
            (
                ANSWER,
                "    if head:\n"
                "        pages = tuple(\n"
                "            page.model_copy(update={'text': drop(page.text), 'markdown': drop(page.markdown)}) for page in pages\n"
                f"        )\n{ANSWER}",
            ),
            (_HOOK, f"def drop(text):\n    return text.encode('ascii', 'ignore').decode()\n\n\n{_HOOK}"),
        ),
        variant="late-letters",
    ),
    PluginMutant(
        target="OC-GOLD-018",
        code=(
            ('date=body.get("date")', 'date=day(body.get("date"))'),
            (
                _HOOK,
                "def day(text):\n"
                "    from datetime import UTC, datetime\n\n"
                "    when = datetime.fromisoformat(text) if text and 'T' in text else None\n"
                f"    return when.astimezone(UTC).date().isoformat() if when and when.tzinfo else text\n\n\n{_HOOK}",
            ),
        ),
        variant="day",
    ),
    PluginMutant(
        target="OC-GOLD-025",
        code=(('    data = item["text"].encode()\n', '    data = item["text"].encode() if item["media_type"] != "message/rfc822" else b""\n'),),
        variant="message",
    ),
    PluginMutant(
        target="OC-GOLD-025",
        code=_of_attachments("text"),
        variant="empty",
    ),
    PluginMutant(
        target="OC-GOLD-025",
        code=_of_attachments("name"),
        variant="unnamed",
    ),
    PluginMutant(
        target="OC-GOLD-028",
        code=(
            (
                "hidden.append(HiddenText(text=content, why=\"hidden_style\"))",
                "hidden.append(HiddenText(text=content, why=\"hidden_style\"))\n"
                "            if number > 3:\n"
                "                markdown.append(hidden.pop().text)\n"
                "                lines.append(content)",
            ),
        ),
        variant="late",
    ),
    PluginMutant(
        target="OC-GOLD-015",
        code=(
            ("left=72, top=72 + 12 * i, right=width - 72, bottom=84 + 12 * i)", "left=72 + x, top=72 + y + 12 * i, right=width - 72 + x, bottom=84 + y + 12 * i)"),
            ('    width, height = float(', '    x, y = page.get("crop", (0, 0))\n    width, height = float('),
        ),
        variant="cropped",
    ),
    PluginMutant(
        target="OC-ERR-015",
        code=(
            (
                "    if len(wanted) > request.max_pages:\n",
                '    if not body["title"] and request.pages is None:\n'
                "        wanted = wanted[: request.max_pages]\n"
                "    if len(wanted) > request.max_pages:\n",
            ),
        ),
    ),
    PluginMutant(
        target="OC-ERR-015",
        code=(
            (
                "    if len(wanted) > request.max_pages:\n",
                "    if len(wanted) >= request.max_pages:\n",
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-ERR-002",
        code=_mending("}"),
        variant="end",
    ),
    PluginMutant(
        target="OC-GOLD-032",
        code=_mending(']}], "attachments": []}'),
        variant="cut-off",
    ),
    PluginMutant(
        target="OC-GOLD-032",
        code=_mending(']}], "attachments": []}', least=4_000),
        variant="long-cut-off",
    ),
    PluginMutant(
        target="OC-GOLD-009",
        code=(
            (
                READ,
                READ + '    for page in body["pages"]:\n'
                '        for block in page["blocks"]:\n'
                '            if block[0] == "t" and len(block[1]) > 300:\n'
                '                block[1] = [[cell.lstrip("0") or cell for cell in row] for row in block[1]]\n',
            ),
        ),
        variant="codes",
    ),
    PluginMutant(target="OC-GOLD-044", code=(('language=body.get("language")', 'language=body.get("language") or "en"'),)),
    PluginMutant(target="OC-GOLD-044", code=(('language=body.get("language")', 'language=body.get("language") and "de"'),), variant="b"),
    PluginMutant(
        target="OC-GOLD-045",
        code=(
            (
                "                if any(block[0] == \"z\"",
                '                if (len(wanted) > 20 and number == 1) or any(block[0] == "z"',
            ),
        ),
    ),
    PluginMutant(target="OC-GOLD-046", code=(('context.options.get("encoding", "utf-8")', '"utf-8"'),)),
    PluginMutant(target="OC-GOLD-046", code=(('context.options.get("tables", True)', "True"),), variant="b"),
)  # fmt: skip
"""The mutants."""
