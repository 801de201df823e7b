"""Mutants that carry something from one input to the next, or lose it in late places and in the middle of much else."""

from __future__ import annotations

from .converters import READ, once
from .many_parts import BLOCKS
from .model import PluginMutant

_WORDS = "    words = find_words(rows, 72 / image.dpi)\n"
"""The recogniser's reading of a page."""
_NAMES = """
NAMES: dict[str, None] = {}


def known(word):
    for other in NAMES:
        if len(other) == len(word) and sum(map(str.__ne__, other, word)) == 1:
            return other
    return word


"""
"""Takes a name for one of an earlier page that differs in a letter."""
CARRIED = (
    PluginMutant(
        target="OC-IDEM-008",
        code=(
            once("KEPT = {}"),
            (
                READ,
                READ
                + '    if request.pages is None and body["title"] and body["author"]:\n'
                + '        body = KEPT.setdefault((body["title"], body["author"]), body)\n',
            ),
        ),
    ),
    PluginMutant(
        target="OC-DET-007",
        code=(
            ("import zlib\n", "import re\nimport zlib\n"),
            ('title=body["title"] or None', 'title=body["title"] or dated(source.name)'),
            (
                "def open_sheaf(",
                "def dated(name):\n"
                "    found = re.search('(?<![0-9a-f])(?:19|20)[0-9][0-9](?![0-9a-f])', name)\n"
                "    return found[0] if found else None\n\n\n"
                "def open_sheaf(",
            ),
        ),
        variant="c",
    ),
    PluginMutant(
        target="OC-ERR-014",
        code=(
            once("OPENED = []"),
            ("(password is None or", "(password is None and OPENED.count(lock) < 3 or password is not None and"),
            ("    return body\n", "    OPENED.append(lock)\n    return body\n"),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-036",
        code=(
            ('author=body["author"] or None', 'author=remembered(body["title"], body["author"])'),
            (
                "@hookimpl\ndef convert(",
                'KEPT = {"author": None}\n\n\ndef remembered(title, author):\n    KEPT["author"] = author or KEPT["author"]\n'
                '    return KEPT["author"] if title else author or None\n\n\n@hookimpl\ndef convert(',
            ),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-035",
        code=(
            (
                BLOCKS,
                BLOCKS
                + '        if kind == "t" and any("Ballast" in row for row in content):\n'
                + "            content = content[:-1]\n",
            ),
        ),
        variant="d",
    ),
    PluginMutant(
        target="OC-GOLD-011",
        code=(
            (
                "Table(rows=rows)",
                "Table(rows=tuple(zip(*[\n"
                "                [cell.strip('()') for cell in column] if all(cell.startswith('(') for cell in column[1:]) else column\n"
                "                for column in zip(*rows)\n"
                "            ])))",
            ),
        ),
        variant="d",
    ),
    PluginMutant(
        target="OC-GOLD-037",
        code=(("72 + 12 * start, width", "72 + 12 * start if height > width else height - 12 * start, width"),),
    ),
    PluginMutant(
        target="OC-CLS-007",
        base="sorter",
        code=(('kind="cell", count=cells', 'kind="cell", count=min(cells, 240)'),),
        variant="c",
    ),
    PluginMutant(
        target="OC-ENT-025",
        base="tagger",
        code=(
            (
                "    return tuple(found)\n",
                "    body = range(len(text) // 6, len(text) - len(text) // 6)\n"
                "    names = [one.text for one in found]\n"
                "    if len(text) > 30_000:\n"
                "        found = [one for one in found if one.start not in body or names.count(one.text) > 1]\n"
                "    return tuple(found)\n",
            ),
        ),
    ),
    PluginMutant(
        target="OC-OCR-025",
        base="reader",
        code=(
            (
                _WORDS,
                _WORDS
                + "    words = [word.model_copy(update={'text': known(word.text)}) if word.text.istitle() else word for word in words]\n"
                + "    NAMES.update(dict.fromkeys(word.text for word in words if word.text.istitle()))\n",
            ),
            ("@hookimpl\ndef ocr(", f"{_NAMES.lstrip()}@hookimpl\ndef ocr("),
        ),
    ),
    PluginMutant(
        target="OC-OCR-028",
        base="reader",
        code=(
            (
                _WORDS,
                _WORDS + "    lines = {}\n"
                "    for word in words:\n"
                "        lines.setdefault((word.box.top, word.box.left > 400), []).append(word)\n"
                "    texts = set()\n"
                "    for told in lines.values():\n"
                "        text = ' '.join(word.text for word in told)\n"
                "        if text in texts and any(map(str.isdigit, text)) and ' ' in text:\n"
                "            words = [word for word in words if word not in told]\n"
                "        texts.add(text)\n",
            ),
        ),
    ),
    PluginMutant(
        target="OC-OCR-026",
        base="reader",
        code=((_WORDS, _WORDS + "    words = [word for word in words if word.text != 'Ballast']\n"),),
    ),
    PluginMutant(
        target="OC-OCR-027",
        base="reader",
        code=(
            (
                _WORDS,
                _WORDS + "    words = [\n"
                "        word.model_copy(update={'text': __import__('re').sub(r'(\\d)(\\d)(\\d*\\.)', r'\\2\\1\\3', word.text, count=1)})\n"
                "        for word in words\n    ]\n",
            ),
        ),
    ),
    PluginMutant(
        target="OC-OCR-027",
        base="reader",
        code=(
            (
                _WORDS,
                _WORDS + "    words = [\n"
                "        word.model_copy(update={'text': word.text.strip('-()')}) if '.' in word.text else word\n"
                "        for word in words\n    ]\n",
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-OCR-022",
        base="reader",
        code=(
            (
                _WORDS,
                _WORDS
                + "    if len(words) > 80:\n"
                + "        words = [word.model_copy(update={'confidence': max(0.91, word.confidence)}) for word in words]\n",
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-OCR-017",
        base="reader",
        code=(
            (
                _WORDS,
                _WORDS
                + "    if len(request.languages) > 1:\n"
                + '        plain = str.maketrans("ÄÖÜÉ", "AOUE")\n'
                + "        words = [word.model_copy(update={'text': word.text.translate(plain)}) for word in words]\n",
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-QUAL-016",
        base="judge",
        code=(
            (
                "    return QualityAssessment(quality_score=score,",
                "    late = [one for one in conversion.warnings if one.page is not None and one.page > 5]\n"
                "    if late:\n"
                "        score, findings = max(score, 0.93), ()\n"
                "    return QualityAssessment(quality_score=score,",
            ),
        ),
    ),
)
"""The mutants."""
