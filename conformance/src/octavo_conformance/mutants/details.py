"""Mutants that keep the parts of a document and change details of them: parameters of addresses, members of late records."""

from __future__ import annotations

from .many_parts import BLOCKS
from .model import PluginMutant

_HOOK = "@hookimpl\ndef convert("
DETAILS = (
    PluginMutant(
        target="OC-GOLD-020",
        code=(
            ('f"[{content}]({more[0]})"', 'f"[{content}]({settled(more[0])})"'),
            (
                _HOOK,
                "def settled(target):\n"
                '    start, mark, query = target.partition("?")\n'
                '    return start + mark + "&".join({part.partition("=")[0]: part for part in query.split("&")}.values())\n'
                f"\n\n{_HOOK}",
            ),
        ),
        variant="c",
    ),
    PluginMutant(
        target="OC-GOLD-010",
        code=(
            (
                BLOCKS,
                BLOCKS
                + '        if kind == "t" and len(content) > 21:\n'
                + "            filled = [any(row[at] for row in content[1:21]) for at in range(len(content[0]))]\n"
                + "            content = [[cell if is_filled else '' for cell, is_filled in zip(row, filled)] for row in content]\n",
            ),
        ),
        variant="late",
    ),
    PluginMutant(
        target="OC-GOLD-030",
        code=(
            ('body["pages"][place - 1], body["repeat"]', 'moved(body["pages"], place - 1), body["repeat"]'),
            (
                _HOOK,
                "def moved(pages, at):\n"
                '    times = [page.get("label") or "" for page in pages]\n'
                '    if len(times[0]) != 8 or times[0] < "00:10:00":\n'
                "        return pages[at]\n"
                '    first, now = (sum(int(part) * 60**(2 - place) for place, part in enumerate(time.split(":"))) for time in (times[0], times[at]))\n'
                "    now -= first\n"
                '    return {**pages[at], "label": f"{now // 3600:02}:{now // 60 % 60:02}:{now % 60:02}"}\n'
                f"\n\n{_HOOK}",
            ),
        ),
        variant="late",
    ),
    PluginMutant(
        target="OC-GOLD-011",
        code=(
            (
                "            tables.append(Table(rows=rows))\n",
                "            is_square = len(rows) > 3 and rows[0][1:] == tuple(row[0] for row in rows[1:])\n"
                "            tables.append(Table(rows=tuple(zip(*rows)) if is_square else rows))\n",
            ),
        ),
        variant="square",
    ),
    PluginMutant(
        target="OC-GOLD-041",
        code=(
            (
                '[page["sheet"] for page in body["pages"]]',
                '[{**first["sheet"], "name": page["sheet"]["name"]}\n'
                '            for page, first in zip(body["pages"], sorted(body["pages"], key=lambda page: page["sheet"]["name"]))]',
            ),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-042",
        code=(
            (
                "        warnings=(\n",
                "        warnings=once_each(\n",
            ),
            (
                _HOOK,
                "def once_each(*warnings):\n"
                "    return tuple({one.message: one for one in reversed(warnings)}.values())[::-1]\n"
                f"\n\n{_HOOK}",
            ),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-043",
        code=(
            ('f"# {text}" if kind == "h" else text', 'f"# {text}" if kind == "h" else settled(text, markdown)'),
            (
                _HOOK,
                "def settled(text, lines):\n"
                '    name, mark, address = text.partition(" <")\n'
                '    same = [line for line in lines if "@" in address and line.endswith(mark + address)]\n'
                "    return same[0] if same else text\n"
                f"\n\n{_HOOK}",
            ),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-019",
        code=(
            (
                BLOCKS,
                BLOCKS
                + '        if kind == "p" and len(page["blocks"]) > 20:\n'
                + '            content = " ".join(map(unmarked, content.split(" ")))\n',
            ),
            (
                _HOOK,
                "def unmarked(word):\n"
                '    while word and __import__("unicodedata").category(word[-1])[0] == "M":\n'
                "        word = word[:-1]\n"
                f"    return word\n\n\n{_HOOK}",
            ),
        ),
        variant="marks",
    ),
)
"""The mutants."""
