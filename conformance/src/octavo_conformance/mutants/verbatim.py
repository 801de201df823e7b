"""Mutants that keep the words of documents, and change signs, addresses, dates, or what options leave out."""

from __future__ import annotations

from .converters import ANSWER
from .model import PluginMutant

_HOOK = "@hookimpl\ndef convert("
_PARAGRAPH = '            markdown.append(deeper + (f"# {text}" if kind == "h" else text))'
_LINK = '            markdown.append(f"[{content}]({more[0]})")'
_ROWS = "            rows = tuple(tuple(row) for row in content)\n"
_MASK = 'options.get("mask") or []'

VERBATIM = (
    PluginMutant(
        target="OC-GOLD-050",
        code=((_PARAGRAPH, _PARAGRAPH.replace(" else text))", ' else text.replace(" --", " –")))')),),
    ),
    PluginMutant(
        target="OC-GOLD-050",
        code=(
            (
                "            lines.append(text)\n            deeper",
                '            text = text.replace("...", "…") if "echo" in text else text\n'
                "            lines.append(text)\n            deeper",
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-GOLD-051",
        code=(
            (
                _PARAGRAPH,
                '            shown = " ".join(word.split("?")[0] if word.startswith("http") else word for word in text.split(" "))\n'
                + _PARAGRAPH.replace(" else text))", " else shown))"),
            ),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-052",
        code=(
            (
                'date=body.get("date")',
                'date=body.get("date") and body["date"] + {4: "-01-01", 7: "-01"}.get(len(body["date"]), "")',
            ),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-053",
        code=(
            (_MASK, "[]"),
            (ANSWER, f"    pages = tuple(masked(page, {_MASK}) for page in pages)\n{ANSWER}"),
            (
                _HOOK,
                "def masked(page, names):\n"
                "    text, markdown = page.text or '', page.markdown\n"
                "    for table in page.tables if names else ():\n"
                "        for row in table.rows[1:]:\n"
                "            for name, cell in zip(table.rows[0], row, strict=False):\n"
                "                if name in names and cell:\n"
                "                    text, markdown = text.replace(cell, ''), markdown.replace(cell, '')\n"
                f"    return page.model_copy(update={{'text': text, 'markdown': markdown}})\n\n\n{_HOOK}",
            ),
        ),
    ),
    PluginMutant(target="OC-GOLD-054", code=(("                if place in short\n", "                if place in short and not context.options\n"),)),
    PluginMutant(
        target="OC-GOLD-009",
        code=((_ROWS, "            rows = tuple(tuple(row[: len(content[0])]) for row in content)\n"),),
        variant="first-row",
    ),
    PluginMutant(
        target="OC-GOLD-009",
        code=(
            (
                ANSWER,
                "    sizes = sorted((len(page.text or '') for page in pages), reverse=True)\n"
                "    if request.pages is None and len(sizes) == 5 and sizes[0] > 10_000:\n"
                "        order = sorted(pages, key=lambda page: len(page.text or ''))\n"
                "        pages = tuple(page.model_copy(update={'number': n}) for n, page in enumerate(order, start=1))\n"
                + ANSWER,
            ),
        ),
        variant="unequal",
        co_failures={"OC-PAGE-009": "A page alone is another one than that of its number."},
    ),
    PluginMutant(
        target="OC-GOLD-020",
        code=(
            (
                _LINK,
                '            kept = TARGETS.setdefault(content, more[0]) if content.startswith("Annex") else more[0]\n'
                '            markdown.append(f"[{content}]({kept})")',
            ),
            ("MAX_REPEAT = 1000\n", "MAX_REPEAT = 1000\nTARGETS = {}\n"),
        ),
        variant="kept-labels",
    ),
)  # fmt: skip
"""The mutants."""
