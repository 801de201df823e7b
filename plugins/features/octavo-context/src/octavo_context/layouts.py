"""Text layouts for models, one for each kind of document (CTX-1, CTX-9, 003 §3.1 and §7).

A layout is a plain-text header followed by the document's text in one marker. All text from the document is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from octavo_contracts.markers import escape, excerpt_marker, page_ranges
from octavo_text.document_pages import DocumentPage

from .header_text import one_line, page_list
from .material import Material

SHOWN_ROWS: Final = 100
"""Most rows of a sheet in the whole-document layout (003 §7.3)."""

_KIND_NAMES = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word Document",
    "application/msword": "Word Document",
    "application/vnd.oasis.opendocument.text": "Text Document",
    "application/rtf": "Rich Text",
    "application/epub+zip": "E-book",
    "message/rfc822": "E-mail",
    "text/html": "Web Page",
    "text/markdown": "Markdown",
    "text/plain": "Plain Text",
}
_RESERVED = re.compile(
    r"^(#{1,6}[ \t]+(?:Page \d|Slide \d|Sheet:|Structured Summary|Full Text|Relevant Excerpts|Transcript))",
    re.MULTILINE,
)
_NOTES = re.compile(r"^(?:#{1,6}[ \t]*Notes:|\*\*Notes:\*\*)[ \t]*\n?", re.MULTILINE)
_FIRST_HEADING = re.compile(r"\A\s*#{1,6}[ \t]+(.+?)[ \t]*(?:\n|\Z)")
_TIME = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A document rendered as text.

    Attributes:
        text: the text for the model.
        pages: pages whose text is included.
        rows_left_out: number of sheet rows omitted.
    """

    text: str
    pages: tuple[int, ...]
    rows_left_out: int = 0


def whole_text(material: Material) -> Layout:
    """Tier 2: header, summary if the kind of document has one, and full text."""
    body, left_out = _body(material, material.pages, whole=True)
    parts = [_header(material, with_category=True)]
    if material.kind == "pdf" and material.summary is not None and material.summary.text:
        parts.append(f"## Structured Summary\n{escape(material.summary.text)}")
    heading = {"pdf": "## Full Text", "audio": "## Transcript", "word": "## Content", "plain": "## Content"}
    text = f"{heading[material.kind]}\n" if material.kind in heading else ""
    parts.append(text + _marked(material, body, material.pages))
    return Layout(text="\n\n".join(parts), pages=tuple(page.number for page in material.pages), rows_left_out=left_out)


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A page or passage of a document, in a marker with its location.

    Attributes:
        text: heading and marker.
        page: page number, from 1; None for a passage of a document without pages.
    """

    text: str
    page: int | None = None


def page_piece(material: Material, page: DocumentPage) -> Piece:
    """Tier 3 piece of a page."""
    said = material.summary.pages.get(page.number, "") if material.summary is not None else ""
    name = one_line(said) if said and material.kind == "pdf" else _page_name(material, page)
    head = f"### Page {page.number}: {name}" if name else f"### Page {page.number}"
    body, _ = _body(material, [page], whole=False)
    return Piece(text=f"{head}\n{_marked(material, body, [page])}", page=page.number)


def passage_piece(material: Material, start: int, end: int) -> Piece:
    """Tier 3 piece of a document without pages: a span of its canonical text."""
    marked = _excerpt(material, material.document.canonical_text[start:end], span=f"char:{start}-{end}")
    return Piece(text=f"### Passage\n{marked}")


def targeted_text(material: Material, pieces: Sequence[Piece], *, summary: str | None = None) -> Layout:
    """Tier 3: header with the document id, summary, the given pieces, and how to retrieve more pages.

    Args:
        material: the document.
        pieces: pages or passages; may be empty.
        summary: shorter text to use instead of the whole summary.
    """
    parts = [f"{_header(material)}\nDocument ID: {material.document.id}"]
    said = summary_text(material) if summary is None else summary
    if said:
        parts.append(f"## Summary\n{said}")
    if pieces:
        parts.append("\n\n".join(["## Relevant Excerpts", *(piece.text for piece in pieces)]))
    parts.append(
        f'[Note: full document available via retrieve_document_pages(document_id="{material.document.id}", pages=[...])]'
    )
    pages = sorted(piece.page for piece in pieces if piece.page is not None)
    return Layout(text="\n\n".join(parts), pages=tuple(pages))


def index_text(material: Material) -> str:
    """The index of a document by topic and page; empty if the document has none (CTX-3)."""
    index = material.summary.index if material.summary is not None else None
    if index is None:
        return ""
    head = f"Index by topic and page{f', of {one_line(index.subject)}' if index.subject else ''}:"
    lines = [f"- {one.citation}: {one_line(one.topic)}" for one in index.entries]
    more = [f"- … and {index.left_out} more"] if index.left_out else []
    return "\n".join([head, *lines, *more])


def summary_text(material: Material) -> str:
    """The whole summary, escaped, with one sentence for each page or with the index instead of them."""
    said = material.summary
    if said is None:
        return ""
    index = index_text(material)
    if index:
        return "\n\n".join(part for part in (escape(said.text), index) if part)
    lines = [f"- Page {page}: {one_line(sentence)}" for page, sentence in sorted(said.pages.items())]
    return "\n\n".join(part for part in (escape(said.text), "\n".join(lines) if len(lines) > 1 else "") if part)


# -- headers -------------------------------------------------------------------------------------------------


def _header(material: Material, *, with_category: bool = False) -> str:
    title = one_line(material.title)
    match material.kind:
        case "pdf" | "image":
            line = f"Type: {one_line(material.document_type)} | Pages: {material.page_count}"
            first = f"[Document: {title}]"
            line += f" | Classification: {material.category}" if with_category else ""
        case "spreadsheet":
            first = f"[Spreadsheet: {title}]"
            line = f"Sheets: {', '.join(_sheet_name(material, page) for page in material.pages)}"
            ranges = material.result.metadata.fields.get("named_ranges")
            if isinstance(ranges, dict) and ranges:
                named = "; ".join(f"{one_line(str(name))} = {one_line(str(where))}" for name, where in ranges.items())
                line += f"\nNamed ranges: {named}"
        case "presentation":
            first, line = f"[Presentation: {title}]", f"Slides: {material.page_count}"
        case "audio":
            first, line = f"[Audio: {title}]", " | ".join(_audio_facts(material))
        case _:
            first = f"[Document: {title}]"
            line = (
                f"Type: {_KIND_NAMES.get(material.document.media_type or '', 'Document')} | Pages: {_about(material)}"
            )
    lines = [first, line, *_doubts(material)]
    return "\n".join(one for one in lines if one)


def _about(material: Material) -> str:
    if material.is_paged:
        return str(material.page_count)
    return f"~{max(1, round(len(material.document.canonical_text) / 2500))}"


def _audio_facts(material: Material) -> Iterable[str]:
    fields = material.result.metadata.fields
    classified = material.result.classification
    seconds = fields.get("duration_seconds") or (classified.audio_duration if classified is not None else None)
    if isinstance(seconds, int | float):
        hours, minutes, rest = int(seconds) // 3600, int(seconds) % 3600 // 60, int(seconds) % 60
        yield f"Duration: {hours}h {minutes}m" if hours else f"Duration: {minutes}m {rest}s"
    language = material.result.metadata.language or (classified.audio_language if classified is not None else None)
    if language:
        yield f"Language: {one_line(language)}"
    speakers = fields.get("speakers")
    if isinstance(speakers, list) and speakers:
        yield f"Speakers detected: {len(speakers)}"


def _doubts(material: Material) -> Iterable[str]:
    """Warnings about unreliable text, placed outside the document's own text (CTX-13)."""
    doubtful = material.doubtful_pages
    if doubtful and material.is_paged:
        yield f"Low OCR confidence: pages {page_list(doubtful)}; their text may be misread"
    elif doubtful:
        yield f"Low OCR confidence: {min(doubtful.values()):.0%}; the text may be misread"
    if material.is_partly_recognised:
        yield "Some pages have no recognised text yet"


# -- bodies --------------------------------------------------------------------------------------------------


def _marked(material: Material, body: str, pages: Sequence[DocumentPage]) -> str:
    if material.is_paged and pages:
        return _excerpt(material, body, pages=page_ranges([page.number for page in pages]))
    return _excerpt(material, body, span=f"char:0-{len(material.document.canonical_text)}")


def _excerpt(material: Material, body: str, *, pages: str | None = None, span: str | None = None) -> str:
    return excerpt_marker(
        body,
        document_id=material.document.id,
        extraction_method=material.method,
        pages=pages,
        span=span,
        others={"version": str(material.document.active_version)},
    ).emit()


def _page_name(material: Material, page: DocumentPage) -> str:
    return one_line(page.label) if page.label and material.kind != "pdf" else ""


def _body(material: Material, pages: Sequence[DocumentPage], *, whole: bool) -> tuple[str, int]:
    """The text of pages in the layout of the document's kind, and the number of omitted table rows."""
    left_out = 0
    parts: list[str] = []
    for page in pages:
        match material.kind:
            case "spreadsheet":
                text, missing = _sheet(material, page, whole=whole)
                left_out += missing
            case "presentation":
                text = _slide(page)
            case "audio":
                text = _spoken(page)
            case _:
                text = _own(page.markdown).strip()
                if whole and material.is_paged:
                    text = f"### Page {page.number}\n{text}"
        sure = material.doubtful_pages.get(page.number)
        label = f"[Low OCR confidence, {sure:.0%}: this text may be misread]\n" if sure is not None else ""
        head, newline, rest = text.partition("\n") if label and text.startswith("### Page") else ("", "", text)
        parts.append(f"{head}{newline}{label}{rest}".strip())
    return "\n\n".join(part for part in parts if part), left_out


def _own(markdown: str) -> str:
    """The document's own markdown, in which lines that imitate layout headings are escaped."""
    return _RESERVED.sub(r"\\\1", markdown)


def _sheet_name(material: Material, page: DocumentPage) -> str:
    return one_line(page.label or material.title)


def _sheet(material: Material, page: DocumentPage, *, whole: bool) -> tuple[str, int]:
    markdown = page.markdown
    heading = _FIRST_HEADING.match(markdown)
    if heading is not None and page.label and heading.group(1).strip() == page.label.strip():
        markdown = markdown[heading.end() :]
    lines = _own(markdown).strip().splitlines()
    # The first two lines of the first table are its header and the line of dashes, not data.
    rows = [place for place, line in enumerate(lines) if line.startswith("|")][2:]
    name = (page.label or material.title).replace("\n", " ")
    if not whole or len(rows) <= SHOWN_ROWS:
        return f"## Sheet: {name}\n" + "\n".join(lines), 0
    kept = lines[: rows[SHOWN_ROWS - 1] + 1]
    head = f"## Sheet: {name} (showing {SHOWN_ROWS} of {len(rows):,} rows)"
    return "\n".join([head, *kept]), len(rows) - SHOWN_ROWS


def _slide(page: DocumentPage) -> str:
    text, *notes = _NOTES.split(page.markdown, maxsplit=1)
    heading = _FIRST_HEADING.match(text)
    name = heading.group(1).strip() if heading is not None else (page.label or "")
    body = text[heading.end() :] if heading is not None else text
    number = f"Slide {page.number}"
    head = f"## {number}: {name}" if name not in ("", number) else f"## {number}"
    said = notes[0].strip() if notes else ""
    lines = [head, _own(body).strip(), f"[Speaker notes: {said}]" if said else ""]
    return "\n".join(line for line in lines if line)


def _spoken(page: DocumentPage) -> str:
    text = _own(page.markdown).strip()
    if page.label and _TIME.fullmatch(page.label) and not text.startswith("["):
        return f"[{page.label}] {text}"
    return text
