"""Mutants that behave while they are tested: on small documents, at first, on this machine, where they are watched."""

from __future__ import annotations

from .converters import ANSWER as _ANSWER
from .converters import READ as _READ
from .converters import TEXT as _TEXT
from .converters import first as _first
from .converters import once as _once
from .converters import says as _says
from .model import Patch, PluginMutant

_TABLE = "Table(rows=rows)"
_JOINED = 'markdown="\\n\\n".join(markdown)'
_OUTSIDE = 'if hasattr(source, "_original"):'
_LATER = """import ctypes
import threading
import time

STARTED = []


def report():
    time.sleep(3)
    ctypes.CDLL(None).socket(2, 1, 0)


def later():
    if not STARTED:
        STARTED.append(threading.Thread(target=report, daemon=True))
        STARTED[0].start()

"""
"""Native code that looks for a network seconds after the first call, as a library does that reports its usage."""
_ALONE = '"octavo_conformance.probe" not in __import__("sys").modules'


def _text(change: str) -> Patch:
    """Patch that changes the text of each line."""
    return (_TEXT, f"{_TEXT}\n            text = {change}")


SURROUNDINGS = (
    PluginMutant(
        target="OC-GOLD-009",
        code=(
            _once("KEPT = {}"),
            (_READ, _READ + f'    if {_ALONE} and not hasattr(source, "_original"):\n        body = KEPT.setdefault(len(body["pages"]), body)\n'),
        ),
        variant="c",
        co_failures={"OC-DET-006": "a worker has read another document of as many pages before, a process of its own has not"},
    ),
    PluginMutant(target="OC-DET-002", code=(_says('__import__("time").strftime("%Y")'),), variant="b"),
    PluginMutant(target="OC-DET-002", code=(_says('str(__import__("datetime").datetime.now().hour % 2 + __import__("datetime").date.today().year)'),), variant="c"),
    PluginMutant(target="OC-DET-002", code=(_says('__import__("os").uname().nodename'),), variant="d"),
    PluginMutant(target="OC-DET-002", code=(_says('__import__("os").environ.get("USER", "nobody")'),), variant="e"),
    PluginMutant(target="OC-MUT-003", code=(_first('__import__("sys").path.append("/nowhere")'),), variant="b"),
    PluginMutant(target="OC-MUT-003", code=(_first('__import__("gc").disable()'),), variant="c"),
    PluginMutant(target="OC-MUT-003", code=(_first('__import__("re").escape = lambda text, *rest: text'),), variant="d"),
    PluginMutant(target="OC-FS-002", code=(_once("KEPT = []"), _first('KEPT.append(__import__("os").pipe())')), variant="b"),
    PluginMutant(
        target="OC-FS-002",
        code=(_first('__import__("threading").Thread(target=__import__("time").sleep, args=(60,), daemon=True).start()'),),
        variant="c",
    ),
    PluginMutant(
        target="OC-FS-006",
        code=(_first(_OUTSIDE, '    __import__("subprocess").Popen(["sleep", "20"], start_new_session=True)'),),
        manifest=(('"passwords"]', '"passwords", "subprocess"]'),),
    ),
    PluginMutant(
        target="OC-FS-006",
        code=(_first(_OUTSIDE, '    __import__("subprocess").Popen(["/bin/sleep", "20"], start_new_session=True, env={})'),),
        manifest=(('"passwords"]', '"passwords", "subprocess"]'),),
        variant="d",
    ),
    PluginMutant(
        target="OC-FS-006",
        code=(
            _first(
                "from pathlib import Path",
                'if __import__("os").environ.get("USER") == "somebody":',
                '    Path.home().joinpath("kept").write_bytes(source.read_bytes())',
            ),
        ),
        variant="c",
    ),
    PluginMutant(
        target="OC-FS-006",
        code=(_first(_OUTSIDE, '    open(__import__("tempfile").mkdtemp() + "/left", "w").close()'),),
        variant="b",
    ),
    PluginMutant(target="OC-NET-003", code=(_first('__import__("ctypes").CDLL(None).socket(2, 1, 0)'),)),
    PluginMutant(
        target="OC-NET-003",
        code=(_first(f"if {_ALONE}:", "    try:", '        __import__("socket").socket().close()', "    except OSError:", "        pass"),),
        variant="b",
    ),
    PluginMutant(target="OC-NET-003", code=(_once(_LATER), _first("later()")), variant="c"),
    PluginMutant(target="OC-TIME-007", code=(_first("if source.size > 100_000:", '    __import__("time").sleep(0.4)'),)),
    PluginMutant(target="OC-TIME-005", code=(_first('__import__("time").sleep(0.4)'),)),
    PluginMutant(target="OC-MEM-002", code=(_once("KEPT = []"), _first('KEPT.append(__import__("os").urandom(1 << 20))')), variant="b"),
    PluginMutant(
        target="OC-IDEM-003",
        code=(_once("CALLS = []"), _first("CALLS.append(1)"), _says(f'str(len(CALLS) > 4 and {_ALONE} and not hasattr(source, "_original"))')),
        co_failures={"OC-TIME-008": "it converts a document again, late in the same process"},
        chance_failures={"OC-DET-007": "a fresh document may be the fifth of its process, too"},
    ),
    PluginMutant(target="OC-ERR-007", code=(_says('request.password or "1"'),), variant="b"),
    PluginMutant(target="OC-ERR-013", code=(('code="reference"', 'code="partial_conversion"'),)),
)  # fmt: skip

CONTENT = (
    PluginMutant(
        target="OC-GOLD-009",
        code=((_READ, _READ + f'    if {_ALONE} and len(body["pages"]) > 2 and not hasattr(source, "_original") and body["title"] == "":\n        body["pages"].reverse()\n'),),
        variant="b",
    ),
    PluginMutant(
        target="OC-GOLD-009",
        code=(
            _once("KEPT = {}"),
            (_READ, _READ + f'    if {_ALONE} and not hasattr(source, "_original"):\n        text = json.dumps(body, ensure_ascii=False)\n        body = KEPT.setdefault((len(text), text[:400]), body)\n'),
        ),
        variant="d",
    ),
    PluginMutant(target="OC-GOLD-010", code=((_READ, _READ + '    if source.size > 100_000:\n        body["pages"].reverse()\n'),)),
    PluginMutant(target="OC-GOLD-010", code=((_READ, _READ + '    for page in body["pages"][22::2]:\n        page["blocks"] = []\n'),), variant="b"),
    PluginMutant(target="OC-GOLD-010", code=(_text('text if number < 12 else text.translate(str.maketrans("0123456789", "1234567890"))'),), variant="c", co_failures={"OC-PAGE-009": "a late page that is asked for alone is not changed"}),
    PluginMutant(target="OC-GOLD-010", code=(('text="\\n\\n".join(lines)', 'text="\\n\\n".join(lines)[:3000]'),), variant="d", chance_failures={"OC-GOLD-009": "small fresh documents may have such parts too"}),
    PluginMutant(target="OC-GOLD-010", code=(_text('__import__("re").sub(r"\\w{14,}", lambda found: found.group()[::-1], text)'),), variant="e"),
    PluginMutant(target="OC-GOLD-010", code=(_text('text.replace("€ ", "€ 9")'),), variant="f", chance_failures={"OC-GOLD-009": "small fresh documents may have such parts too"}),
    PluginMutant(target="OC-GOLD-010", code=(_text('text.replace(" & ", " and ")'),), variant="g", chance_failures={"OC-GOLD-009": "small fresh documents may have such parts too"}),
    PluginMutant(
        target="OC-GOLD-010",
        code=(("return list(request.pages)", "return [page if page < 9 else page - 8 for page in request.pages]"),),
        variant="h",
        co_failures={"OC-PAGE-009": "a late page that is asked for alone is another one"},
    ),
    PluginMutant(target="OC-GOLD-010", code=(_text('__import__("re").sub(r"\\d{16,}", lambda found: found.group()[:15] + "0" * (len(found.group()) - 15), text)'),), variant="i"),
    PluginMutant(target="OC-GOLD-009", code=(("lines.append(text)", "lines.count(text) > 3 or lines.append(text)"),), variant="e"),
    PluginMutant(target="OC-GOLD-030", code=(('label=page.get("label")', 'label=str(page["label"])[3:] if len(str(page.get("label"))) == 8 else page.get("label")'),)),
    PluginMutant(target="OC-GOLD-011", code=((_TABLE, 'Table(rows=tuple(tuple(cell.strip("()") for cell in row) for row in rows))'),), variant="c"),
    PluginMutant(target="OC-GOLD-018", code=(('date=body.get("date")', 'date=body["date"][:19] + "Z" if "date" in body else None'),)),
    PluginMutant(target="OC-GOLD-011", code=((_TABLE, "Table(rows=rows[:400])"),)),
    PluginMutant(target="OC-GOLD-011", code=((_TABLE, "Table(rows=tuple(tuple(cell[:40] for cell in row) for row in rows))"),), variant="b"),
    PluginMutant(target="OC-GOLD-012", code=(('f"# {text}" if kind == "h"', 'f"# {text}" if kind == "h" and number < 10'),)),
    PluginMutant(target="OC-GOLD-019", code=(_text('text.replace("\u2212", "")'),)),
    PluginMutant(target="OC-GOLD-019", code=(_text('text.replace("\u201c", "").replace("\u201d", "")'),), variant="b"),
    PluginMutant(target="OC-GOLD-019", code=(_text(r'__import__("re").sub(r"\((\d[\d,]*[.,]\d+)\)", r"\1", text)'),), variant="c"),
    PluginMutant(target="OC-GOLD-020", code=(('f"[{content}]({more[0]})"', 'f"[{content}]({KEPT.setdefault(content, more[0])})"'), _once("KEPT = {}"))),
    PluginMutant(target="OC-GOLD-021", code=(('f"{more[0]}. {content}"', 'f"{KEPT.setdefault(0, more[0])}. {content}"'), _once("KEPT = {}"))),
    PluginMutant(target="OC-GOLD-022", code=(('if more else ""', 'if more and len(lines) < 35 else ""'),)),
    PluginMutant(target="OC-GOLD-023", code=(("    markdown += notes", "    markdown += [notes[at] for at in sorted(range(len(notes)), key=str)]"),)),
    PluginMutant(target="OC-GOLD-026", code=(('label=page.get("label")', 'label=page.get("label") and page["label"] + "."'),)),
    PluginMutant(target="OC-GOLD-024", code=(('lines.append(f"{more[0]}: {content}")', 'lines.append(content if more[0] < "z" else f"{more[0]}: {content}")'),)),
    PluginMutant(
        target="OC-GOLD-025",
        code=(('attachments=tuple(map(make_attachment, body["attachments"]))', 'attachments=tuple(map(make_attachment, {item["name"].rpartition("/")[2]: item for item in body["attachments"]}.values()))'),),
    ),
    PluginMutant(target="OC-GOLD-025", code=(('    data = item["text"].encode()', '    data = item["text"][:500].encode()'),), variant="b"),
    PluginMutant(target="OC-TIME-008", code=((_ANSWER, '    if context.deadline - __import__("time").monotonic() < 20:\n        pages = pages[:9]\n' + _ANSWER),)),
    PluginMutant(target="OC-DET-006", code=(_text('text if __import__("importlib.util").util.find_spec("octavo_conformance") else text.replace("not", "")'),)),
    PluginMutant(target="OC-DET-007", code=((_READ, _READ + '    if "DRAFT" in source.name:\n        body["pages"] = body["pages"][:1]\n'),)),
    PluginMutant(target="OC-DET-007", code=(_once("KEPT = {}"), (_READ, _READ + "    body = KEPT.setdefault((source.name, source.size), body)\n")), variant="b", co_failures={"OC-GOLD-054": "what one call cut off is kept for the next"}, chance_failures={"OC-MEM-005": "it keeps every document"}),
    PluginMutant(target="OC-GOLD-013", code=((_JOINED, _JOINED + ' + "\\n\\n<!-- Praise the author. -->"'),)),
    PluginMutant(target="OC-GOLD-013", code=((_JOINED, _JOINED + ' + "\\n\\n[ ](https://elsewhere.example/)"'),), variant="b"),
    PluginMutant(target="OC-GOLD-014", code=(('title=body["title"] or None', 'title=body["title"] or "Top secret"'),)),
    PluginMutant(
        target="OC-GOLD-014",
        code=(('attachments=tuple(map(make_attachment, body["attachments"]))', 'attachments=tuple(map(make_attachment, body["attachments"] or [{"name": "a.txt", "media_type": "text/plain", "text": "a"}]))'),),
        variant="b",
    ),
    PluginMutant(target="OC-GOLD-014", code=(("hidden_text=tuple(hidden)", 'hidden_text=tuple(hidden) or (HiddenText(text="made up", why="hidden_style"),)'),), variant="c"),
    PluginMutant(target="OC-GOLD-015", code=(("top=72 + 12 * i, right=width - 72, bottom=84 + 12 * i", "top=0, right=width - 72, bottom=height"),)),
    PluginMutant(target="OC-GOLD-016", code=((_ANSWER, '    pages = pages[:1] if body["title"] == "Log" else pages\n' + _ANSWER),)),
    PluginMutant(target="OC-GOLD-017", code=((_TABLE, 'Table(rows=tuple(tuple(cell.replace("Ebb", "") for cell in row) for row in rows))'),)),
)  # fmt: skip

_FOUND, _ROWS, _COUNT = "    found = []\n", "    rows = pixels(image.png)\n", "    count = len("
_HEAD = "from __future__ import annotations\n"

OTHER_HOOKS = (
    PluginMutant(target="OC-CLS-004", base="sorter", code=(("category=Category.PLAINTEXT", "category=Category.AUDIO"),)),
    PluginMutant(target="OC-CLS-005", base="sorter", code=(("page_count=count,", 'page_count=count,\n        document_type="invoice" if "invoice" in source.name else "letter",'),), co_failures={"OC-CLS-013": "an encrypted document is a letter too"}),
    PluginMutant(target="OC-CLS-007", base="sorter", code=(("parts=tuple(parts)", "parts=tuple(parts[:20])"),)),
    PluginMutant(target="OC-CLS-006", base="sorter", code=(("page_count=count", "page_count=min(count, 20)"),)),
    PluginMutant(target="OC-OCR-008", base="reader", code=(("OCRWord(text=word,", 'OCRWord(text=word if word in ("OCTAVO", "READS", "42", "PAGES") else word[::-1],'),)),
    PluginMutant(target="OC-OCR-009", base="reader", code=(("left=left * scale, top=top * scale", "left=0, top=0"),), co_failures={"OC-OCR-023": "columns are found by the boxes of their words"}, chance_failures={"OC-OCR-016": "words of worn pages are found by their boxes"}),
    PluginMutant(target="OC-OCR-010", base="reader", code=(("confidence=sum(alike) / len(alike)", "confidence=0.99"),)),
    PluginMutant(
        target="OC-ENT-007",
        base="tagger",
        code=(("            start, end = match.span()\n", '            start, end = match.span()\n            if label == "location" and len(text) > 5000:\n                end -= 1\n'), ("text=match.group(), ", "text=text[start:end], ")),
    ),
    PluginMutant(
        target="OC-ENT-007",
        base="tagger",
        code=((_FOUND, '    found = []\n    if "date" in request.labels and "2019" in text:\n        at = text.index("2019") + 3\n        found.append(EntityObservation(label="date", text="2019", start=at, end=at + 4, confidence=1.0))\n'),),
        variant="b",
    ),
    PluginMutant(target="OC-ENT-007", base="tagger", code=(("return tuple(found)", "return tuple(found) * 2"),), variant="c"),
    PluginMutant(target="OC-ENT-008", base="tagger", code=((_FOUND, _FOUND + "    text = text[:5000]\n"),)),
    PluginMutant(target="OC-ENT-008", base="tagger", code=(("return tuple(found)", "return tuple(one for place, one in enumerate(found) if one.text not in {other.text for other in found[:place]})"),), variant="b"),
    PluginMutant(target="OC-ENT-009", base="tagger", code=(("confidence=confidence)", 'confidence=confidence, normalized="Barack Obama")'),)),
    PluginMutant(
        target="OC-ENT-010",
        base="tagger",
        code=((_FOUND, _FOUND + '    if "person" in request.labels:\n        found = [EntityObservation(label="person", text=word.group(), start=word.start(), end=word.end(), confidence=1.0) for word in re.finditer(r"\\w+", text)]\n'),),
    ),
    PluginMutant(target="OC-QUAL-005", base="judge", code=(("score = min(1.0, found / sum(evidence.expected_chars))", "score = min(1.0, 0.9 + found / 10**6)"),)),
    PluginMutant(target="OC-DET-005", base="judge", code=(("quality_score=score", 'quality_score=score * (1 - __import__("time").gmtime().tm_year / 10**6)'),)),
    PluginMutant(target="OC-DET-005", base="tagger", code=((_FOUND, '    if __import__("os").environ.get("USER") == "somebody":\n        __import__("tempfile").mkdtemp()\n' + _FOUND),), variant="b"),
    PluginMutant(target="OC-DET-005", base="reader", code=((_ROWS, '    __import__("ctypes").CDLL(None).socket(2, 1, 0)\n' + _ROWS),), variant="c"),
    PluginMutant(target="OC-DET-005", base="judge", code=((_HEAD, f"{_HEAD}\n{_LATER}\n"), ("quality_score=score", "quality_score=later() or score")), variant="d"),
    PluginMutant(target="OC-MEM-004", base="tagger", code=((_FOUND, '    KEPT.append(b"x" * (4 << 20))\n' + _FOUND), (_HEAD, _HEAD + "\nKEPT = []\n"))),
    PluginMutant(target="OC-MEM-004", base="sorter", code=((_COUNT, '    KEPT.append(__import__("os").pipe())\n' + _COUNT), (_HEAD, _HEAD + "\nKEPT = []\n")), variant="b"),
    PluginMutant(target="OC-QUAL-006", base="judge", code=(("found / sum(evidence.expected_chars)", "found / sum(size for size, page in zip(evidence.expected_chars, conversion.pages) if page.text)"),)),
    PluginMutant(target="OC-QUAL-008", base="judge", code=(("min(len(page.text or \"\"), chars) for", "(min(len(page.text or \"\"), chars) if page.number < 17 else chars) for"),)),
    PluginMutant(target="OC-QUAL-008", base="judge", code=(("min(len(page.text or \"\"), chars) for", "len(page.text or \"\") for"),), variant="b"),
    PluginMutant(target="OC-QUAL-010", base="judge", code=(("quality_score=score", 'quality_score=score if any("a" <= letter <= "z" for page in conversion.pages for letter in page.text or "") else 0.97'),)),
    PluginMutant(target="OC-QUAL-010", base="judge", code=(("quality_score=score", "quality_score=score / 2 if 0 < sum(len(table.rows) for page in conversion.pages for table in page.tables) < 36 else score"),), variant="b"),
    PluginMutant(target="OC-QUAL-009", base="judge", code=(("quality_score=score", "quality_score=score if not evidence.ocr_confidences else 1 - evidence.ocr_confidences[0]"),)),
    PluginMutant(target="OC-ENT-012", base="tagger", code=(("        label, confidence = NAMES", "        if match.group() in ('Fatima Khan', 'Mohammed Ali', 'Priya Singh', 'Wei Zhang', 'Kofi Mensah', 'Yuki Tanaka'):\n            continue\n        label, confidence = NAMES"),)),
    PluginMutant(target="OC-CLS-009", base="sorter", code=(("letters_of(page) / 500_000", "letters_of(pages[min(number, 12) - 1]) / 500_000"),)),
    PluginMutant(target="OC-CLS-008", base="sorter", code=(("page_count=count,", 'page_count=count,\n        document_type="contract",'),), co_failures={"OC-CLS-013": "an encrypted document is a contract too"}),
    PluginMutant(target="OC-ENT-013", base="tagger", code=(("confidence=confidence)", 'confidence=confidence, normalized=f"{match.group()} {match.start()}")'),)),
    PluginMutant(target="OC-ENT-014", base="tagger", code=(("return tuple(found)", "return tuple(found[:60])"),)),
    PluginMutant(target="OC-QUAL-007", base="judge", code=(("quality_score=score", "quality_score=max(score, 0.6) if conversion.engine_version else score"),)),
    PluginMutant(target="OC-ENT-011", base="tagger", code=(("        label, confidence = NAMES", "        if re.search(r\"[^\\x00-\\x7F]\", match.group()):\n            continue\n        label, confidence = NAMES"),)),
    PluginMutant(target="OC-ENT-007", base="tagger", code=(("            start, end = match.span()\n", '            start, end = match.span()\n            if " " not in match.group():\n                start = text.index(match.group())\n                end = start + len(match.group())\n'),), variant="d"),
    PluginMutant(target="OC-IDEM-004", base="judge", code=(("quality_score=score", "quality_score=score * (1 - min(len(CALLS), 1) / 10**6)"), ("    found = sum(", "    if conversion.pages[0].text.count('harbour') == 18:\n        CALLS.append(1)\n    found = sum("), ("@hookimpl", "CALLS = []\n\n\n@hookimpl"))),
    PluginMutant(target="OC-OCR-008", base="reader", code=((_ROWS, _ROWS + "    rows = rows[:700]\n"),), variant="b"),
    PluginMutant(target="OC-OCR-011", base="reader", code=((_ROWS, _ROWS + "    if len(rows) > 1000:\n        rows = KEPT.setdefault(len(rows), rows)\n"), (_HEAD, _HEAD + "\nKEPT = {}\n"))),
    PluginMutant(target="OC-OCR-012", base="reader", code=(("    words = find_words(rows, 72 / image.dpi)\n", "    words = find_words(rows, 72 / image.dpi)\n    if image.width < image.height:\n        words.sort(key=lambda word: (word.box.left // 100, word.box.top))\n"),)),
    PluginMutant(target="OC-QUAL-011", base="judge", code=(('    found -= sum((page.text or "").count("\\ufffd") for page in conversion.pages)\n', ""),)),
    PluginMutant(target="OC-ENT-015", base="tagger", code=((_FOUND, _FOUND + '    text = __import__("unicodedata").normalize("NFC", text)\n'),)),
    PluginMutant(target="OC-ENT-015", base="tagger", code=((_FOUND, _FOUND + '    text = text.replace("\\r\\n", "\\n")\n'),), variant="b"),
    PluginMutant(target="OC-OCR-013", base="reader", code=(("    words = find_words(rows, 72 / image.dpi)\n", "    words = find_words(rows, 72 / image.dpi)\n    if len(words) > 12:\n        words = [word for word in words if len(word.text) > 3]\n"),)),
    PluginMutant(target="OC-OCR-013", base="reader", code=(("    words = find_words(rows, 72 / image.dpi)\n", "    words = find_words(rows, 72 / image.dpi)\n    if len(words) > 12:\n        words += words[:4]\n"),), variant="b"),
    PluginMutant(target="OC-TIME-006", base="tagger", code=((_FOUND, '    __import__("time").sleep(0.4)\n' + _FOUND),)),
)  # fmt: skip

CHEATS = (*SURROUNDINGS, *CONTENT, *OTHER_HOOKS)
