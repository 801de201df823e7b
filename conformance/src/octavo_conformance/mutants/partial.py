"""Mutants that read some of a kind and lose or change the others: mentions, names, columns, comments, notes, parts of a structure."""

from __future__ import annotations

from .converters import READ
from .converters import once as _once
from .model import PluginMutant

_READ_WORDS = "    words = find_words(rows, 72 / image.dpi)\n"
"""The recogniser's reading of a page."""
_FIRST_MENTIONS = (
    "    counts: dict[str, int] = {}\n"
    "    for one in found:\n"
    "        counts[one.text] = counts.get(one.text, 0) + 1\n"
    "        if counts[one.text] > 5:\n"
    "            found = [other for other in found if other is not one]\n"
    "    return tuple(found)\n"
)
"""Leaves out the mentions of a name behind the fifth."""


def _cutting(condition: str) -> str:
    """Return lines that cut the names of people to their last words where a condition holds; `lasts` are all these words."""
    return (
        "    lasts = [name.split()[-1] for name in {one.text for one in found if one.label == 'person'}]\n"
        "    cut = []\n"
        "    for one in found:\n"
        "        last = one.text.split()[-1]\n"
        f"        if one.label == 'person' and {condition} and len(text) < 2000:\n"
        "            one = one.model_copy(update={'text': last, 'start': one.end - len(last)})\n"
        "        cut.append(one)\n"
        "    return tuple(cut)\n"
    )


PARTIAL = (
    PluginMutant(
        target="OC-ENT-019",
        base="tagger",
        code=(("    return tuple(found)\n", _FIRST_MENTIONS),),
    ),
    PluginMutant(
        target="OC-ENT-020",
        base="tagger",
        code=(("    return tuple(found)\n", _cutting("lasts.count(last) > 1")),),
    ),
    PluginMutant(
        target="OC-ENT-021",
        base="tagger",
        code=(
            (
                "start=start, end=end, confidence=confidence)",
                "start=start, end=end, confidence=confidence - 0.05 * (request.threshold not in (0, 0.3, 0.5, 0.8, 0.9, 0.99)))",
            ),
        ),
    ),
    PluginMutant(
        target="OC-OCR-022",
        base="reader",
        code=(
            (
                _READ_WORDS,
                _READ_WORDS + "    best = max((word.confidence for word in words), default=0.0)\n"
                "    if len(words) > 20:\n"
                "        words = [word.model_copy(update={'confidence': best}) for word in words]\n",
            ),
        ),
    ),
    PluginMutant(
        target="OC-OCR-023",
        base="reader",
        code=(
            (
                "sorted(words, key=lambda word: word.box.left >= edge)",
                "sorted(words, key=lambda word: word.box.top if edge else 0)",
            ),
        ),
    ),
    PluginMutant(
        target="OC-CLS-007",
        base="sorter",
        code=((', "f": "note", "c": "comment", "i": "change", "d": "change"', ""),),
        variant="n",
    ),
    PluginMutant(
        target="OC-GOLD-034",
        code=(
            (
                'changes.append(f"Comment: {more[0]}")',
                'changes += [f"Comment: {more[0]}"] * (not any("Comment" in one for one in changes))',
            ),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-022",
        code=(('deeper = "#" * (more[0] - 1) if more else ""', 'deeper = "#" if more else ""'),),
        variant="f",
    ),
    PluginMutant(
        target="OC-PAGE-009",
        code=(
            (
                "    return list(request.pages)\n",
                "    first, *others = request.pages\n"
                "    return [first + at for at in range(len(others) + 1)] if len(others) > 2 else list(request.pages)\n",
            ),
        ),
        variant="f",
    ),
    PluginMutant(
        target="OC-ENT-020",
        base="tagger",
        code=(("    return tuple(found)\n", _cutting("'In the evening' in text")),),
        variant="b",
    ),
    PluginMutant(
        target="OC-ENT-022",
        base="tagger",
        code=(
            (
                "            start, end = match.span()\n",
                '            start, end = match.span()\n            if text[start - 1 : start] == "(":\n                continue\n',
            ),
        ),
    ),
    PluginMutant(
        target="OC-OCR-024",
        base="reader",
        code=(
            (
                "    rows = pixels(image.png)\n",
                "    rows = pixels(image.png)\n    if len(rows[0]) < 900:\n        key = b''.join(rows[: len(rows) // 5])\n        rows = HEADS.setdefault((len(rows), key), rows) if 0 in key else rows\n",
            ),
            ("@hookimpl\ndef ocr(", "HEADS: dict[object, list[bytes]] = {}\n\n\n@hookimpl\ndef ocr("),
        ),
    ),
    PluginMutant(target="OC-GOLD-033", code=(('changes.append(f"Deleted: {content}")', "pass"),)),
    PluginMutant(
        target="OC-GOLD-023",
        code=(
            (
                "    lines += notes + changes\n",
                "    notes = notes if number < 9 else []\n    lines += notes + changes\n",
            ),
        ),
        variant="p",
        co_failures={"OC-PAGE-009": "a late page that is asked for alone has its notes"},
    ),
    PluginMutant(
        target="OC-GOLD-009",
        code=(
            _once("KEPT: dict[object, str] = {}"),
            (
                READ,
                READ + '    for page in body["pages"]:\n'
                '        page["blocks"] = [\n'
                '            block for block in page["blocks"]\n'
                '            if block[0] != "p" or len(block[1]) < 40 or KEPT.setdefault(block[1], source.sha256) == source.sha256\n'
                "        ]\n",
            ),
        ),
        variant="k",
    ),
    PluginMutant(
        target="OC-ENT-023",
        base="tagger",
        code=(
            (
                "            start, end = match.span()\n",
                "            start, end = match.span()\n"
                '            if label == "person" and " " in match.group() and match.group().split()[1].islower():\n'
                '                start += match.group().index(" ") + 1\n',
            ),
            ("text=match.group(), start", "text=text[start:end], start"),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-028",
        code=(("hidden_text=tuple(hidden)", "hidden_text=tuple(hidden) if len(lines) < 9 else ()"),),
        variant="c",
    ),
    PluginMutant(
        target="OC-OCR-019",
        base="reader",
        code=(
            (
                _READ_WORDS,
                _READ_WORDS
                + "    if image.dpi > 500 and any(bytes(6 * DOT) in row for row in rows):\n        words = []\n",
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-ENT-022",
        base="tagger",
        code=(
            (
                "            start, end = match.span()\n",
                "            start, end = match.span()\n"
                '            if len(text) > 8000 and text[:start].endswith(("Dr. ", "Mr. ")):\n                continue\n',
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-DET-005",
        base="tagger",
        code=(
            (
                "    return tuple(found)\n",
                '    today = __import__("datetime").date.today()\n'
                '    later = sum(int(year) > today.year for year in re.findall(r"\\b20\\d\\d\\b", text))\n'
                "    return tuple(found[later // 4 :])\n",
            ),
        ),
        variant="e",
    ),
    PluginMutant(target="OC-QUAL-015", base="judge", code=(("score = min(1.0,", "score = 0.6 + 0.4 * min(1.0,"),)),
    PluginMutant(
        target="OC-QUAL-015",
        base="judge",
        code=(('flag="low_text_yield",', 'flag="low_text_yield", severity="note",'),),
        variant="b",
    ),
    PluginMutant(
        target="OC-OCR-005",
        base="reader",
        code=(
            ("\n\n@hookimpl", "\n\nBEFORE: list[OCRResult] = []\n\n\n@hookimpl"),
            ("    return OCRResult(", "    result = OCRResult("),
            (
                '        tool_version="1",\n    )\n',
                '        tool_version="1",\n    )\n'
                "    if not words and BEFORE and BEFORE[0].page_number < image.page_number:\n"
                "        return BEFORE[0].model_copy(update={'page_number': image.page_number})\n"
                "    BEFORE[:] = [result]\n"
                "    return result\n",
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-OCR-021",
        base="reader",
        code=(
            (
                _READ_WORDS,
                _READ_WORDS + "    for at, word in enumerate(words):\n"
                "        if len(text := word.text) > 7 and text.isdecimal():\n"
                "            turned = text[:3] + text[4] + text[3] + text[5:]\n"
                "            words[at] = word.model_copy(update={'text': turned})\n",
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-MEM-004",
        base="reader",
        code=(
            ("\n\n@hookimpl", "\n\nKEPT: list[bytearray] = []\n\n\n@hookimpl"),
            (_READ_WORDS, _READ_WORDS + '    KEPT.append(bytearray(b"1" * (image.width * image.height)))\n'),
        ),
        variant="h",
    ),
    PluginMutant(
        target="OC-GOLD-032",
        code=(
            (
                '                if any(block[0] == "z"',
                '                if len(body["pages"]) < 5 and any(block[0] == "z"',
            ),
        ),
        variant="b",
    ),
)
"""Each reads some of a kind, or reads it in some places only."""
