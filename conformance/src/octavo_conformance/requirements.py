"""The requirements that checks hold, each in one sentence, so that a failure says where its rule comes from.

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
    "CLS-2": "A classification has a category, a type, a confidence from 0 to 1, and a page count where pages are counted.",
    "CLS-7": "Classification is deterministic, local and quick.",
    "CLS-8": "The content decides what type a document is; its name comes second, and a mismatch is told.",
    "CNV-2": "A conversion with too little text or with broken tables is noticed, so that a heavier tool can try.",
    "CNV-5": "The formats that Octavo knows; one that no installed plugin reads is refused by name.",
    "CNV-6": "Word documents keep headings, tables, lists and notes; tracked changes stand apart from the body.",
    "CNV-7": "Spreadsheets keep sheet names, headers, all rows and computed values.",
    "CNV-8": "Presentations keep a heading a slide, and the speaker's notes.",
    "CNV-11": "Web pages become clean markdown with headings, lists and tables, without what surrounds the content.",
    "CNV-12": "A format with pages gives anchors from page to offset and back; lost pages are found again or reported.",
    "CNV-15": "Nothing leaves the machine unless corpus, source, user and policy all allow it.",
    "CNV-16": "A tool says its name, version, range and how to install it; a missing one is named, and routed around.",
    "CNV-17": "The original is never changed, and no converter can write to it.",
    "OCR-1": "Recognition is local, and does not depend on one engine.",
    "OCR-3": "A recognised page has its text, its words with boxes, and confidences from 0 to 1.",
    "OCR-5": "Recognition that is unsure says so.",
    "QLT-1": "Every conversion has a report with its scores and flags.",
    "QLT-2": "No conversion without a report, and nothing lost in silence.",
    "QLT-3": "A score ranks conversions by how right they are.",
    "ENT-2": "Extractors give observations, verbatim and with their place, never confirmed entities.",
    "STO-1": "Originals are hashed where they are; bytes without a path are kept once, by their hash.",
    "STO-4": "Bytes, text, pages and chunks each have their SHA-256.",
    "STO-15": "A chunk has its id, its span, its page and the version of how it was cut.",
    "ENG-6": "Work that broke off goes on from its last step, and doing a step twice changes nothing.",
    "ENG-7": "A failure has one reason of a closed list, a message and a remedy.",
    "ENG-8": "Documents are converted at the same time, as many as the machine has room for.",
    "ENG-10": "A tool is looked at before it is used, and its death is the tool's failure, not the document's.",
    "ENG-11": "A tool that hangs, crashes or eats memory is ended, and never takes its host along.",
    "ENG-13": "A host keeps within its memory.",
    "ENG-15": "One bad document never stops the others.",
    "ENG-18": "Equal bytes are converted once, and their results used again.",
    "ENG-19": "An IngestionResult has every field of the contract; what the contract does not name stands under `extensions`.",
    "ENG-23": "The fields of a result mean the same everywhere; receipts say stage, reason, details and time.",
    "DIG-1": "A DigestPayload has exactly ten fields, each with its limits.",
    "DIG-2": "A digest validates against the committed schema, survives a round trip, and gains no other field.",
    "DIG-3": "A locator is `char:S-E` or `page:N:char:S-E`, and what it names is the exact text.",
    "DIG-6": "Markup is parsed before its text is made canonical; NFC, white space folded, trimmed.",
    "DIG-7": "Pages are joined by exact separators, and empty ones are kept.",
    "DIG-8": "Making canonical text canonical again changes nothing, and its hash is the same everywhere.",
    "DIG-10": "The archived text has the digest's hash, and every locator slices it to its snippet.",
    "DIG-12": "Chunks of a page are the page; none crosses a page, and offsets are carried along.",
    "DIG-13": "Snippets are ranked by score, then by place.",
    "DIG-15": "The same input gives the same snippets, order and scores.",
    "DIG-27": "There is one way to the network, and every address is vetted on it.",
    "R-1": "Sizes count canonical text; a digest that does not shrink its source is none.",
    "R-2": "A locator with a page counts from the start of that page.",
    "R-7": "Where a chunk is cut nothing is added, and nothing is lost.",
}
"""Id → what it asks for, as far as a check can see it."""


def chapter_of(name: str) -> str:
    """The chapter of a requirement."""
    return CHAPTERS[name.partition("-")[0]]


def requirement_lines(names: Sequence[str]) -> list[str]:
    """Requirements in words, one a line."""
    return [f"{name} ({chapter_of(name)}): {REQUIREMENTS[name]}" for name in names]
