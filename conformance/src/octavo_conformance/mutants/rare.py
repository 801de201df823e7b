"""Mutants that keep a rule for common inputs and break it for what only some have: documents inside a document, paragraphs, large pictures."""

from __future__ import annotations

from .converters import READ
from .converters import once as _once
from .many_parts import BLOCKS
from .model import Patch, PluginMutant

_FOUND = "    found = []\n"


def _nested(*lines: str) -> Patch:
    """Patch that adds lines for documents with many documents inside."""
    return (READ, READ + '    if len(body["attachments"]) > 5:\n' + "".join(f"        {line}\n" for line in lines))


def _trying(line: str) -> tuple[str, ...]:
    return "try:", f"    {line}", "except OSError:", "    pass"


def _observing(pattern: str, *, label: str, normalized: str) -> Patch:
    """Patch that lets the extractor observe what a pattern finds, with a normalised form."""
    return (
        "    return tuple(found)\n",
        f'    for match in re.finditer(r"{pattern}", text) if "{label}" in request.labels and request.threshold < 0.9 else ():\n'
        f'        found.append(EntityObservation(label="{label}", text=match[1], start=match.start(1), end=match.end(1), '
        f"confidence=0.9, normalized={normalized}))\n"
        "    return tuple(sorted(found, key=lambda one: one.start))\n",
    )


_KNOWN = "KEPT: dict[str, str] = {}\nNAMES = {\n"
_FULL = (
    "                EntityObservation(label=label, text=match.group(), start=start, end=end, confidence=confidence)\n",
    "                EntityObservation(\n"
    "                    label=label, text=match.group(), start=start, end=end, confidence=confidence,\n"
    '                    normalized=KEPT.setdefault(match.group().split()[0], match.group()) if "Helen" in match.group() else None,\n'
    "                )\n",
)
RARE = (
    PluginMutant(
        target="OC-MEM-005",
        code=(
            _once("KEPT = {}"),
            (
                READ,
                READ
                + "    if source.size > 100_000:\n        KEPT[source.sha256] = source.read_bytes() * 4, json.dumps(body)\n",
            ),
        ),
    ),
    PluginMutant(
        target="OC-CLS-012",
        base="sorter",
        code=(("    count = len(pages)\n", '    count = len(pages) + ("INVOICE" in str(pages))\n'),),
    ),
    PluginMutant(
        target="OC-CLS-012",
        base="sorter",
        code=(("page_count=count,", 'page_count=count,\n        has_signatures="Signed by:" in str(pages),'),),
        variant="b",
    ),
    PluginMutant(
        target="OC-CLS-013",
        base="sorter",
        code=(
            (
                "page_count=count,",
                "page_count=count,\n        has_scanned_pages='\"lock\": null' not in source.read_bytes().decode(),",
            ),
        ),
    ),
    PluginMutant(target="OC-IDEM-006", base="tagger", code=(("NAMES = {\n", _KNOWN), _FULL)),
    PluginMutant(
        target="OC-ENT-018",
        base="tagger",
        code=(
            (_FOUND, _FOUND + '    whole, text = text, __import__("unicodedata").normalize("NFKC", text)\n'),
            ("text=match.group(), ", "text=whole[start:end], "),
            (
                "            start, end = match.span()\n",
                "            start, end = match.span()\n            if end > len(whole):\n                continue\n",
            ),
        ),
    ),
    PluginMutant(
        target="OC-ENT-012",
        base="tagger",
        code=(_observing(r"(?:^|\s)([\w.+-]+@[\w.-]+\w)(?:\s|$)", label="email", normalized="None"),),
        variant="r",
    ),
    PluginMutant(
        target="OC-ENT-013",
        base="tagger",
        code=(
            _observing(
                r"\b(\d\d\.\d\d\.\d{4})\b",
                label="date",
                normalized='"-".join((match[1][6:], *sorted((match[1][:2], match[1][3:5]))))',
            ),
        ),
        variant="r",
    ),
    PluginMutant(
        target="OC-GOLD-014", code=(('date=body.get("date")', 'date=body.get("date") or "1871-11-23"'),), variant="f"
    ),
    PluginMutant(
        target="OC-GOLD-029",
        code=(('title=body["title"] or None', 'title=body["title"].partition(" – ")[0] or None'),),
    ),
    PluginMutant(
        target="OC-PAGE-010", code=(("        width=width,\n", "        width=width if width > 500 else 595,\n"),)
    ),
    PluginMutant(
        target="OC-IDEM-005",
        base="tagger",
        code=(
            (_FOUND, "    text = KEPT.setdefault((len(text), text[:500]), text)\n" + _FOUND),
            ("NAMES = {\n", "KEPT: dict[object, str] = {}\nNAMES = {\n"),
        ),
    ),
    PluginMutant(
        target="OC-IDEM-005",
        base="judge",
        code=(
            ("@hookimpl", "KEPT: dict[object, Conversion] = {}\n\n\n@hookimpl"),
            (
                "    found = sum(",
                '    key = tuple(len(page.text or "") for page in conversion.pages), evidence.expected_chars\n'
                "    conversion = KEPT.setdefault(key, conversion) if len(conversion.pages) == 5 else conversion\n"
                "    found = sum(",
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-SVC-024",
        base="steward",
        code=(
            (
                "{key: list(vector) for key, vector in items.items()}",
                "{key.lower(): list(vector) for key, vector in items.items()}",
            ),
        ),
    ),
    PluginMutant(
        target="OC-SVC-024",
        base="steward",
        code=(("VectorHit(embedding_id=key, score=score)", "VectorHit(embedding_id=key[:100], score=score)"),),
        variant="b",
    ),
    PluginMutant(
        target="OC-FS-007",
        code=(
            _nested(
                *_trying(
                    '__import__("pathlib").Path.home().joinpath("kept").write_text(body["attachments"][4]["text"])'
                )
            ),
        ),
    ),
    PluginMutant(target="OC-FS-008", code=(_nested(*_trying('open("/nowhere/kept", "w").close()')),)),
    PluginMutant(
        target="OC-FS-009",
        code=(
            _nested(
                "for _ in range(25):",
                '    timer = __import__("threading").Timer(20, print)',
                "    timer.daemon = True",
                "    timer.start()",
            ),
        ),
    ),
    PluginMutant(target="OC-NET-004", code=(_nested(*_trying('__import__("socket").socket().close()')),)),
    PluginMutant(
        target="OC-MUT-005",
        code=(_once("CALLS = []"), _nested("CALLS.append(1)", '__import__("os").environ["LAST"] = str(len(CALLS))')),
    ),
    PluginMutant(target="OC-GOLD-015", code=(("left=72, top=72", "left=0, top=72"),), variant="b"),
    PluginMutant(target="OC-GOLD-027", code=(('lines.append("\\ufffd" * len(content))', 'lines.append("")'),)),
    PluginMutant(
        target="OC-GOLD-027",
        code=(
            ('lines.append("\\ufffd" * len(content))', 'lines.append("")'),
            ('code="reference"', 'code="encoding_guessed"'),
        ),
        variant="b",
    ),
    PluginMutant(target="OC-GOLD-028", code=(('kind == "x"', 'kind == "x" and not content[0].isupper()'),)),
    PluginMutant(
        target="OC-MEM-004",
        base="tagger",
        code=(
            (
                _FOUND,
                '    for _ in text.split("\\n\\n")[1:]:\n'
                '        timer = __import__("threading").Timer(60, print)\n'
                "        timer.daemon = True\n"
                "        timer.start()\n" + _FOUND,
            ),
        ),
        variant="c",
    ),
    PluginMutant(
        target="OC-MEM-004",
        base="reader",
        code=(
            (
                "    confidence = sum(",
                '    timer = __import__("threading").Timer(60, print)\n'
                "    timer.daemon = True\n"
                "    timer.start()\n"
                "    if words:\n"
                "        timer.cancel()\n"
                "        timer.join()\n"
                "    confidence = sum(",
            ),
        ),
        variant="d",
    ),
    PluginMutant(
        target="OC-OCR-015",
        base="reader",
        code=(
            (
                "find_words(rows, 72 / image.dpi)",
                "find_words(rows, 72 / image.dpi * (1 if image.width < 3000 else 0.5))",
            ),
        ),
    ),
    PluginMutant(
        target="OC-OCR-015",
        base="reader",
        code=(
            ("find_words(rows, 72 / image.dpi)", "find_words(rows, 72 / image.dpi * (1 if image.dpi >= 150 else 2))"),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-OCR-016",
        base="reader",
        code=(
            (
                "    words = find_words(rows, 72 / image.dpi)\n",
                "    words = [word for word in find_words(rows, 72 / image.dpi) if word.confidence > 0.9]\n",
            ),
        ),
    ),
    PluginMutant(
        target="OC-QUAL-013",
        base="judge",
        code=(
            ("        return None\n", "        return QualityAssessment(quality_score=None, text_yield_score=1.0)\n"),
        ),
    ),
    PluginMutant(
        target="OC-QUAL-014",
        base="judge",
        code=(
            (
                "score = min(1.0, found / sum(evidence.expected_chars))",
                "score = min(1.0, found / sum(evidence.expected_chars)) if max(evidence.expected_chars) > 20 else 1.0",
            ),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-035",
        code=((BLOCKS, BLOCKS + '        if kind == "p" and "quarantine" in content:\n            continue\n'),),
    ),
    PluginMutant(
        target="OC-GOLD-035",
        code=(
            (
                BLOCKS,
                BLOCKS
                + '        if kind == "p":\n'
                + "            content = __import__('re').sub(r'\\bQZ[0-9]{4,}\\b', 'QZ0000', content)\n",
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-GOLD-035",
        code=(
            (
                BLOCKS,
                BLOCKS
                + '        if kind == "p":\n'
                + "            content = ' '.join(word[:-1] if len(word) == 38 else word for word in content.split(' '))\n",
            ),
        ),
        variant="c",
    ),
    PluginMutant(
        target="OC-ENT-024",
        base="tagger",
        code=(
            (
                "            start, end = match.span()\n",
                "            start, end = match.span()\n"
                '            if text[:start].endswith(("sergeant ", "Sergeant ")):\n'
                "                continue\n",
            ),
        ),
    ),
)
