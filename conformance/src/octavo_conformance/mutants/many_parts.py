"""Mutants that keep a rule for few parts, short texts and first calls, and break it for many parts, long texts and later calls."""

from __future__ import annotations

from .converters import READ
from .converters import once as _once
from .model import PluginMutant

_FOUND = "    found = []\n"
_WORDS = "    words = find_words(rows, 72 / image.dpi)\n"
"""The recogniser's reading of a page."""
BLOCKS = '    for kind, content, *more in page["blocks"]:\n'
"""Loop over the blocks of a page."""
_LATER_TABLES = (
    '    blocks = list(page["blocks"])\n'
    '    grids = [place for place, block in enumerate(blocks) if block[0] == "t"]\n'
    "    for place in grids[1:]:\n"
    "        blocks[place : place + 2] = blocks[place : place + 2][::-1]\n"
)
"""Puts each table but the first behind the block that follows it."""
_PLAIN = (
    '    plain = str.maketrans("ÄÖÜÉ", "AOUE")\n'
    "    words = [word.model_copy(update={'text': word.text.translate(plain)}) for word in words]\n"
)
"""Reads the letters of other languages as those of English."""
_TIMER = (
    '        timer = __import__("threading").Timer(60, print)\n        timer.daemon = True\n        timer.start()\n'
)
"""Leaves a thread behind."""
_LOOKUP = (
    "    names = set(__import__('re').findall(r'@([a-z0-9.]+)', {}))\n"
    "    if len(names) > 2:\n"
    "        try:\n"
    "            __import__('socket').getaddrinfo(min(names), 25)\n"
    "        except OSError:\n"
    "            pass\n"
)
"""Looks up the domain of an address where there are three or more."""
_MENDED = """
def mended(text):
    try:
        return json.loads(text)
    except ValueError:
        return {"title": "", "author": "", "repeat": 1, "attachments": [], **json.loads(text[: text.rindex("], [")] + "]]}]}")}
"""
"""Reads a body that ends too early as far as it goes."""
MANY_PARTS = (
    PluginMutant(
        target="OC-OCR-018",
        base="reader",
        code=(("confidence=sum(alike) / len(alike)", "confidence=0.9 + sum(alike) / len(alike) / 10"),),
        chance_failures={"OC-OCR-016": "no word is uncertain, and some may be missing"},
    ),
    PluginMutant(
        target="OC-OCR-018",
        base="reader",
        code=(("confidence=sum(alike) / len(alike)", "confidence=0.75 + sum(alike) / len(alike) / 4"),),
        variant="b",
        chance_failures={"OC-OCR-016": "no word is uncertain, and some may be missing"},
    ),
    PluginMutant(
        target="OC-OCR-017",
        base="reader",
        code=(
            (
                "    words = find_words(rows, 72 / image.dpi)\n",
                "    words = find_words(rows, 72 / image.dpi)\n" + _PLAIN,
            ),
        ),
    ),
    PluginMutant(
        target="OC-ENT-016",
        base="tagger",
        code=(
            (
                "text=match.group(), start=start, end=end, confidence=confidence)",
                "text=match.group(), start=start, end=end, confidence=min(1.0, confidence + 0.15))",
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-CLS-007",
        base="sorter",
        code=(("parts=tuple(parts)", "parts=tuple(parts[:150])"),),
        variant="b",
    ),
    PluginMutant(target="OC-GOLD-010", code=((READ, READ + '    body["pages"] = body["pages"][:150]\n'),), variant="m"),
    PluginMutant(
        target="OC-GOLD-025",
        code=(('map(make_attachment, body["attachments"])', 'map(make_attachment, body["attachments"][:150])'),),
        variant="m",
    ),
    PluginMutant(target="OC-NET-004", code=((READ, READ + _LOOKUP.format("json.dumps(body)")),), variant="b"),
    PluginMutant(target="OC-NET-004", base="tagger", code=((_FOUND, _FOUND + _LOOKUP.format("text")),), variant="c"),
    PluginMutant(
        target="OC-IDEM-004",
        base="tagger",
        code=(
            ("NAMES = {\n", "CALLS: list[int] = []\nNAMES = {\n"),
            (_FOUND, _FOUND + '    if "\\n\\n" in text:\n        CALLS.append(1)\n'),
            ("return tuple(found)", "return tuple(found[len(CALLS) > 5 :])"),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-MEM-004",
        base="tagger",
        code=((_FOUND, _FOUND + "    if len(text) > 2000:\n" + _TIMER),),
        variant="e",
    ),
    PluginMutant(
        target="OC-MEM-004",
        base="reader",
        code=(
            (
                "    confidence = sum(",
                "    if sum(len(word.text) + 1 for word in words) > 2000:\n" + _TIMER + "    confidence = sum(",
            ),
        ),
        variant="f",
    ),
    PluginMutant(
        target="OC-MEM-004",
        base="sorter",
        code=(("    count = len(pages)\n", "    if source.size > 20_000:\n" + _TIMER + "    count = len(pages)\n"),),
        variant="g",
    ),
    PluginMutant(
        target="OC-MEM-005",
        code=((READ, READ + "    if source.size > 20_000:\n" + _TIMER),),
        variant="b",
        chance_failures={"OC-FS-009": "large documents are converted in several workers"},
    ),
    PluginMutant(
        target="OC-IDEM-007",
        code=(
            _once("CALLS, KEPT = [], {}"),
            (
                READ,
                READ
                + "    CALLS.append(1)\n"
                + "    if len(CALLS) > 60 and source.size < 9000:\n"
                + "        body = KEPT.setdefault((source.size, source.read_bytes()[:40]), body)\n",
            ),
        ),
        chance_failures={
            "OC-DET-007": "a twin has the same beginning too",
            "OC-GOLD-042": "a document with losses is answered with an earlier one",
            "OC-GOLD-046": "a document in another encoding is answered with an earlier one",
            "OC-GOLD-054": "what one call cut off is kept for the next",
        },
    ),
    PluginMutant(
        target="OC-IDEM-007",
        code=(
            _once("KEPT = {}"),
            (
                READ,
                READ
                + "    if source.sha256 not in KEPT:\n"
                + '        KEPT[source.sha256] = source.size, body["pages"][0]["blocks"][0]\n'
                + "        size, block = list(KEPT.values())[-21:][0]\n"
                + "        if len(KEPT) > 20 and size == source.size:\n"
                + '            body["pages"][-1]["blocks"].append(block)\n',
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-ERR-002",
        code=(_once(_MENDED), ('json.loads(outer["body"])', 'mended(outer["body"])')),
        co_failures={"OC-GOLD-032": "fresh files that are cut off are mended in silence, too"},
        variant="b",
    ),
    PluginMutant(
        target="OC-GOLD-009",
        code=((BLOCKS, _LATER_TABLES + "    for kind, content, *more in blocks:\n"),),
        variant="t",
    ),
    PluginMutant(
        target="OC-GOLD-031",
        code=(
            (
                '        markdown="\\n\\n".join(markdown),\n',
                '        markdown="\\n\\n".join(sorted(markdown, key=lambda text: text.startswith("|") and len(tables) > 1)),\n',
            ),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-020",
        code=(
            (
                'f"[{content}]({more[0]})"',
                'f"[{content}]({more[0]})" if sum(one.startswith("[") for one in markdown) < 12 else content',
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-PAGE-009",
        code=(
            (
                'body["pages"][place - 1]',
                '{**body["pages"][place - 1], "blocks": body["pages"][(number if len(wanted) > 1 else place) - 1]["blocks"]}',
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-GOLD-025",
        code=(('    data = item["text"].encode()\n', '    data = item["text"].encode()[: 1 << 15]\n'),),
        variant="n",
    ),
    PluginMutant(
        target="OC-GOLD-028",
        code=(
            (
                'elif kind == "u":',
                'elif kind == "x" and len(content) > 80:\n            lines.append(content)\n        elif kind == "u":',
            ),
            ('if kind == "x":', 'if kind == "x" and len(content) <= 80:'),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-OCR-020",
        base="reader",
        code=(
            (
                _WORDS,
                _WORDS + "    if len(words) > 30:\n"
                "        words = [word for word in words if word.box.bottom * image.dpi / 72 < 0.85 * len(rows)]\n",
            ),
        ),
    ),
    PluginMutant(
        target="OC-CLS-014",
        base="sorter",
        code=(
            ("@hookimpl\ndef classify(", "SEEN: dict[int, DocumentClassification] = {}\n\n\n@hookimpl\ndef classify("),
            ("    return DocumentClassification(", "    verdict = DocumentClassification("),
            (
                "parts=tuple(parts)),\n    )\n",
                "parts=tuple(parts)),\n    )\n"
                '    is_typed = any(word in str(pages) for word in ("INVOICE", "EMPLOYMENT", "Dear Mr"))\n'
                "    return SEEN.setdefault(source.size, verdict) if is_typed else verdict\n",
            ),
        ),
    ),
    PluginMutant(
        target="OC-OCR-021",
        base="reader",
        code=(
            (
                _WORDS,
                _WORDS + '    wrong = str.maketrans("3", "8")\n'
                "    words = [word.model_copy(update={'text': word.text.translate(wrong)}) for word in words]\n",
            ),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-009",
        code=(("rows = tuple(tuple(row) for row in content)", "rows = tuple(tuple(row[:10]) for row in content)"),),
        variant="w",
    ),
    PluginMutant(target="OC-GOLD-032", code=(('block[0] == "z"', 'block[0] == "y"'),)),
    PluginMutant(
        target="OC-OCR-019",
        base="reader",
        code=(
            (
                _WORDS,
                _WORDS + "    if any(bytes(6 * DOT) in row for row in rows):\n"
                "        words = [word for word in words if bytes(6 * DOT) in rows[round(word.box.top * image.dpi / 72)]]\n",
            ),
        ),
    ),
    PluginMutant(
        target="OC-CLS-006",
        base="sorter",
        code=(("page_count=count", "page_count=min(count, 20)"),),
        manifest=(('media_types = ["application/x-octavo-sheaf"]\n', ""),),
        variant="b",
    ),
)
