"""The requirements that checks verify, each in one sentence, so that a failure states the origin of its rule.

Ids are those of Octavo's specification; they are stable, and tests and docstrings of all distributions cite them.
"""

from __future__ import annotations

from collections.abc import Sequence

CHAPTERS = {
    "CLS": "Classification",
    "CNV": "Conversion and routing",
    "OCR": "OCR",
    "QLT": "Quality",
    "ENT": "Entities",
    "STO": "Store",
    "ENG": "Ingestion engine",
    "DIG": "Document digest",
    "R": "Decisions on the digest",
}
"""First part of an id → chapter, in the order of the specification."""

REQUIREMENTS = {
    "CLS-2": "A classification has a category, a type, a confidence from 0 to 1, and a page count if pages are counted.",
    "CLS-7": "Classification is deterministic, local and quick.",
    "CLS-8": "The content determines the type of a document; its name comes second, and a mismatch is reported.",
    "CNV-2": "A conversion with too little text or broken tables is detected, so that a heavier tool can try.",
    "CNV-5": "Octavo has a list of known formats; one that no installed plugin reads is refused by name.",
    "CNV-6": "Word documents keep headings, tables, lists and notes; tracked changes are separate from the body.",
    "CNV-7": "Spreadsheets keep sheet names, headers, all rows and computed values.",
    "CNV-8": "Presentations keep a heading per slide, and the speaker notes.",
    "CNV-11": "Web pages become clean markdown with headings, lists and tables, without navigation and other boilerplate.",
    "CNV-12": "A format with pages gives anchors from page to offset and back; lost pages are recovered or reported.",
    "CNV-13": "Literal values are extracted with their position in the text, and never invented.",
    "CNV-15": "Nothing leaves the machine unless corpus, source, user and policy all allow it.",
    "CNV-16": "A tool states its name, version, supported range and install command; a missing tool is reported, and routing avoids it.",
    "CNV-17": "The original is never changed, and no converter can write to it.",
    "OCR-1": "Recognition is local, and does not depend on a single engine.",
    "OCR-3": "A recognised page has its text, its words with boxes, and confidences from 0 to 1.",
    "OCR-5": "Recognition with low confidence is reported.",
    "QLT-1": "Every conversion has a report with its scores and flags.",
    "QLT-2": "Every conversion has a report, and no loss is silent.",
    "QLT-3": "A score ranks conversions by correctness.",
    "ENT-2": "Extractors return observations, verbatim and with their position, never confirmed entities.",
    "STO-1": "Originals are hashed in place; bytes without a path are stored once, by their hash.",
    "STO-4": "Bytes, text, pages and chunks each have their SHA-256.",
    "STO-5": "What one policy context knows of a document is never shown to another one.",
    "STO-12": "A purged document is gone everywhere; files of the user are never touched.",
    "STO-15": "A chunk has its id, its span, its page and the version of its chunking config.",
    "ENG-6": "Interrupted work resumes from its last step, and repeating a step changes nothing.",
    "ENG-7": "A failure has one reason from a closed list, a message and a remedy.",
    "ENG-8": "Documents are converted in parallel, as many as the machine has resources for.",
    "ENG-10": "A tool is checked before use, and its crash is a failure of the tool, not of the document.",
    "ENG-11": "A tool that hangs, crashes or uses too much memory is killed, and never takes down its host.",
    "ENG-13": "A host stays within its memory limit.",
    "ENG-15": "One bad document never stops the others.",
    "ENG-18": "Equal bytes are converted once, and their result is reused; a reconversion is suggested after a change of type or of a tool.",
    "ENG-19": "An IngestionResult has every field of the contract; data that the contract does not define is under `extensions`.",
    "ENG-23": "The fields of a result mean the same everywhere; receipts state stage, reason, details and time.",
    "ENG-26": "Vectors of texts are made and searched by replaceable parts, and a search works without them.",
    "DIG-1": "A DigestPayload has exactly ten fields, each with its limits.",
    "DIG-2": "A digest validates against the committed schema, survives a round trip, and gains no other field.",
    "DIG-3": "A locator is `char:S-E` or `page:N:char:S-E`, and refers to the exact text.",
    "DIG-6": "Markup is parsed before its text is canonicalised: NFC, white space collapsed, trimmed.",
    "DIG-7": "Pages are joined by exact separators, and empty pages are kept.",
    "DIG-8": "Canonicalising canonical text changes nothing, and its hash is the same everywhere.",
    "DIG-10": "The archived text has the digest's hash, and every locator slices it to its snippet.",
    "DIG-12": "The chunks of a page cover the page; none crosses a page boundary, and offsets are tracked.",
    "DIG-13": "Snippets are ranked by score, then by position.",
    "DIG-15": "The same input gives the same snippets, order and scores.",
    "DIG-18": "Without a language model, summary and key points are extracted: each sentence has its place in the source.",
    "DIG-27": "All network access goes through one module, which checks every address.",
    "R-1": "Sizes count canonical text; a digest that does not shrink its source is rejected.",
    "R-2": "A locator with a page counts from the start of that page.",
    "R-7": "Cutting chunks neither adds nor loses text.",
}
"""Id → the requirement, as far as a check can verify it."""


def chapter_of(name: str) -> str:
    """Return the chapter of a requirement."""
    return CHAPTERS[name.partition("-")[0]]


def requirement_lines(names: Sequence[str]) -> list[str]:
    """Return requirements as text, one per line."""
    return [f"{name} ({chapter_of(name)}): {REQUIREMENTS[name]}" for name in names]
