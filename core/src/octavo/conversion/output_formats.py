"""The forms in which a converted document is written: markdown, text, HTML, JSON, chunks and pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from os.path import basename
from typing import Any

from octavo_contracts import IngestionResult, UsageError
from octavo_text.document_pages import DocumentPage, pages_of

from .text_chunks import text_chunks


class OutputFormat(StrEnum):
    """A form of output; the value is what `--to` takes."""

    MARKDOWN = "md"
    TEXT = "text"
    HTML = "html"
    JSON = "json"
    CHUNKS = "chunks"
    PAGES = "pages"

    @property
    def extension(self) -> str:
        """Of files in this form."""
        return _EXTENSIONS[self]

    @property
    def is_lines(self) -> bool:
        """Whether it is JSON Lines, so that several documents can follow each other."""
        return self in (OutputFormat.CHUNKS, OutputFormat.PAGES)


_EXTENSIONS: Mapping[OutputFormat, str] = {
    OutputFormat.MARKDOWN: ".md",
    OutputFormat.TEXT: ".txt",
    OutputFormat.HTML: ".html",
    OutputFormat.JSON: ".json",
    OutputFormat.CHUNKS: ".chunks.jsonl",
    OutputFormat.PAGES: ".pages.jsonl",
}


def output_format(name: str) -> OutputFormat:
    """The form of a name.

    Raises:
        UsageError: no form has that name.
    """
    try:
        return OutputFormat(name)
    except ValueError:
        known = ", ".join(OutputFormat)
        raise UsageError(f"no output format is named {name!r}; there are {known}") from None


@dataclass(frozen=True, kw_only=True)
class Rendition:
    """A converted document that can be written in any form.

    Attributes:
        result: everything known of it.
        markdown: its text with its structure.
        text: its canonical text.
        source: the document as the user named it.
    """

    result: IngestionResult
    markdown: str
    text: str
    source: str

    def render(self, form: OutputFormat) -> str:
        """The document in a form, as a text; JSON Lines end with a line end."""
        if form is OutputFormat.MARKDOWN:
            return self.markdown
        if form is OutputFormat.TEXT:
            from octavo_text.markdown import plain_text

            return "\n\n".join(body for _, page in self._pages() if (body := plain_text(page.markdown)))
        if form is OutputFormat.HTML:
            from octavo_text.html_document import html_document

            pages = [(number, page.markdown) for number, page in self._pages()]
            return html_document(pages, title=self.result.metadata.title or basename(self.source))
        if form is OutputFormat.CHUNKS:
            chunks = text_chunks(self.result, self.text, source=self.source)
            return "".join(_line({"source": self.source, **asdict(one)}) for one in chunks)
        if form is OutputFormat.PAGES:
            return "".join(map(_line, self._page_keys()))
        from pydantic import TypeAdapter

        keys = {"result": self.result, "markdown": self.markdown, "canonical_text": self.text}
        return TypeAdapter(Any).dump_json(keys, indent=2).decode() + "\n"

    def _pages(self) -> Iterator[tuple[int | None, DocumentPage]]:
        """Each page with its number; of a document without pages, the whole of it without a number."""
        anchors = self.result.page_anchor_map
        for page in pages_of(anchors, canonical=self.text, markdown=self.markdown):
            yield (page.number if len(anchors) else None), page

    def _page_keys(self) -> Iterator[dict[str, Any]]:
        document = {"source": self.source, "document_id": self.result.document_id}
        for number, page in self._pages():
            yield {**document, "page": number, "label": page.label, "text": page.text, "markdown": page.markdown}


def _line(keys: Mapping[str, Any]) -> str:
    return json.dumps(keys, ensure_ascii=False) + "\n"
