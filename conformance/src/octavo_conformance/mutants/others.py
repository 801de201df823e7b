"""Mutants of the reference plugins for classification, OCR, entity extraction and scoring."""

from __future__ import annotations

from .model import PluginMutant

_COUNT = "    count = len("
_MEAN = "sum(word.confidence for word in words) / len(words)"

_FOUND = "    found = []\n"
_HEAD = "from __future__ import annotations\n"
_HOOK = "@hookimpl\n"
_ROWS = "    rows = pixels(image.png)\n"

OTHERS = (
    PluginMutant(target="OC-CLS-001", base="sorter", code=((_COUNT, '    raise ValueError("no opinion")\n' + _COUNT),)),
    PluginMutant(target="OC-CLS-001", base="sorter", code=((_COUNT, "    return None\n" + _COUNT),), variant="b"),
    PluginMutant(target="OC-CLS-002", base="sorter", code=(("page_count=count", "page_count=count + 1"),), co_failures={"OC-CLS-012": "pages of a typed document are counted wrong too"}),
    PluginMutant(
        target="OC-CLS-010",
        base="sorter",
        code=(
            (_COUNT, '    KEPT.append(b"INVOICE" in source.read_bytes())\n' + _COUNT),
            ("confidence=1.0", 'confidence=0.9 if b"Page 2 of" in source.read_bytes() and KEPT[-2:-1] == [True] else 1.0'),
            (_HOOK, f"KEPT: list[bool] = []\n\n\n{_HOOK}"),
        ),
    ),
    PluginMutant(target="OC-CLS-011", base="sorter", code=(("confidence=1.0", 'confidence=hash("a") % 1000 / 1000 if b"plaintiff" in source.read_bytes() else 1.0'),)),
    PluginMutant(target="OC-CLS-003", base="sorter", code=(("confidence=1.0", 'confidence=__import__("random").SystemRandom().random()'),), co_failures={"OC-CLS-010": "a random confidence differs behind another document too", "OC-CLS-011": "and in another process"}),
    PluginMutant(target="OC-OCR-001", base="reader", code=(("    return OCRResult(", "    return dict("),)),
    PluginMutant(target="OC-OCR-002", base="reader", code=(("page_number=image.page_number", "page_number=1"),)),
    PluginMutant(target="OC-OCR-003", base="reader", code=(("72 / image.dpi", "image.dpi / 72"),)),
    PluginMutant(target="OC-OCR-003", base="reader", code=(("words=tuple(words)", "words=()"),), variant="b"),
    PluginMutant(target="OC-OCR-004", base="reader", code=((_MEAN, f"{_MEAN} / 2"),)),
    PluginMutant(target="OC-OCR-005", base="reader", code=(('" ".join(word.text for word in words)', '" ".join(word.text for word in words) or "nothing"'),)),
    PluginMutant(target="OC-OCR-006", base="reader", code=(("raise OcrFailed(", "raise ValueError("),)),
    PluginMutant(target="OC-OCR-014", base="reader", code=(("    if not any(language", "    if not request.languages and not any(language"),)),
    PluginMutant(target="OC-OCR-007", base="reader", code=(('LETTERS.get(dots, " ")', 'LETTERS.get(dots, " ").replace("O", "D")'),)),
    PluginMutant(target="OC-ENT-001", base="tagger", code=(("return tuple(found)", "return [item.text for item in found]"),)),
    PluginMutant(target="OC-ENT-001", base="tagger", code=(("return tuple(found)", "return ()"),), variant="b"),
    PluginMutant(target="OC-ENT-002", base="tagger", code=(("match.span()", "(place + sum(c > chr(0xFFFF) for c in text[:place]) for place in match.span())"),)),
    PluginMutant(target="OC-ENT-003", base="tagger", code=(("EntityObservation(label=label", "EntityObservation(label=label.upper()"),)),
    PluginMutant(
        target="OC-ENT-016",
        base="tagger",
        code=((" and confidence >= request.threshold", ""), ("confidence=confidence", "confidence=max(confidence, request.threshold)")),
    ),
    PluginMutant(
        target="OC-ENT-017",
        base="tagger",
        code=(
            ("            start, end = match.span()\n", "            start, end = match.span()\n            if start // 4096 != (end - 1) // 4096:\n                continue\n"),
        ),
        chance_failures={"OC-ENT-007": "a name lies across the border", "OC-ENT-008": "a name lies across the border"},
    ),
    PluginMutant(target="OC-ENT-004", base="tagger", code=((" and confidence >= request.threshold", ""),)),
    PluginMutant(
        target="OC-ENT-005",
        base="tagger",
        code=(("    found = []\n", '    found = [] if text else [EntityObservation(label="person", text="x", start=0, end=1, confidence=1.0)]\n'),),
    ),
    PluginMutant(target="OC-ENT-006", base="tagger", code=(("confidence=confidence", 'confidence=confidence + __import__("random").SystemRandom().random() / 100'),)),
    PluginMutant(target="OC-QUAL-001", base="judge", code=(("    found = sum(", '    raise ValueError("no idea")\n    found = sum('),)),
    PluginMutant(target="OC-QUAL-001", base="judge", code=(("    found = sum(", "    return None\n    found = sum("),), variant="b"),
    PluginMutant(target="OC-QUAL-002", base="judge", code=(("score = min(1.0, found / sum(evidence.expected_chars))", "score = 0.5"),)),
    PluginMutant(target="OC-QUAL-003", base="judge", code=(("page=worst.number", "page=99"),)),
    PluginMutant(target="OC-QUAL-012", base="judge", code=(("page=worst.number", "page=worst.number - 1 or None"),)),
    PluginMutant(target="OC-QUAL-004", base="judge", code=(("quality_score=score", 'quality_score=score * (0.99 + __import__("random").SystemRandom().random() / 100)'),)),
    PluginMutant(target="OC-MUT-004", base="tagger", code=((_FOUND, '    request.options["seen"] = True\n' + _FOUND),)),
    PluginMutant(target="OC-MUT-004", base="sorter", code=((_COUNT, '    __import__("os").environ["SEEN"] = str(__import__("time").time_ns())\n' + _COUNT),), variant="b"),
    PluginMutant(target="OC-FS-004", base="reader", code=((_ROWS, '    try:\n        open("/tmp/octavo-mutant", "w").close()\n    except OSError:\n        pass\n' + _ROWS),)),
    PluginMutant(target="OC-FS-004", base="tagger", code=((_FOUND, '    KEPT.append(open(context.work_dir / "kept", "w"))\n' + _FOUND), (_HEAD, _HEAD + "\nKEPT = []\n")), variant="b"),
    PluginMutant(target="OC-FS-005", base="tagger", code=((_FOUND, '    try:\n        __import__("subprocess").run(["true"])\n    except OSError:\n        pass\n' + _FOUND),)),
    PluginMutant(target="OC-NET-002", base="judge", code=(("    found = sum(", '    try:\n        __import__("socket").socket().close()\n    except OSError:\n        pass\n    found = sum('),)),
    PluginMutant(target="OC-DET-003", base="judge", code=(("quality_score=score", "quality_score=score * SALT"), ("@hookimpl", 'SALT = 1 - int.from_bytes(__import__("os").urandom(4), "big") / 2**40\n\n\n@hookimpl'))),
    PluginMutant(target="OC-TIME-003", base="tagger", code=((_FOUND, '    __import__("time").sleep(1.1)\n' + _FOUND),)),
    PluginMutant(target="OC-MEM-003", base="reader", code=((_ROWS, '    b"x" * (150 << 20)\n' + _ROWS),), manifest=(("[plugin.engine]", "[plugin.limits]\nmemory_mb = 64\n\n[plugin.engine]"),)),
)  # fmt: skip
