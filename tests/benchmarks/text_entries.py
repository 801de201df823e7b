"""Everything of Octavo's that is given a text: what computes in the process, and what goes through plugins and a library."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

Call = Callable[[str], object]
QUERY = "tide gauge of the harbour"
DEADLINE = 300.0
"""Seconds that plugins have: a case's own time is shorter."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Something that is given a text.

    Attributes:
        ready: makes what a call needs, and gives the call.
        is_slow: whether it starts workers or writes a library: left out of a quick run.
    """

    ready: Callable[[], AbstractContextManager[Call]]
    is_slow: bool = False


def computed(make: Callable[[], Call]) -> Entry:
    """An entry that computes in the process; what it imports is imported in the process of the case."""

    @contextmanager
    def ready() -> Iterator[Call]:
        yield make()

    return Entry(ready=ready)


# -- the texts -------------------------------------------------------------------------------------------------


def _canonical() -> Call:
    from octavo_text.canonical import canonicalise

    return canonicalise


def _chunks() -> Call:
    from octavo_contracts import PageAnchorMap
    from octavo_text.canonical import canonicalise
    from octavo_text.chunking import make_chunks

    return lambda text: make_chunks(canonicalise(text), PageAnchorMap(()))


def _plain_text() -> Call:
    from octavo_text.markdown import plain_text

    return plain_text


def _tables() -> Call:
    from octavo_text.markdown import tables_in

    return tables_in


def _page_split() -> Call:
    from octavo_text.page_split import split_markdown

    return lambda text: split_markdown(text, [text[: len(text) // 2], text[len(text) // 2 :]])


def _escaped() -> Call:
    from octavo_contracts.authoring import markdown

    return lambda text: (
        markdown.escape(text),
        markdown.escape_line_starts(text),
        markdown.code_span(text),
        markdown.pipe_table([[text, text]]),
    )


# -- digests ---------------------------------------------------------------------------------------------------


def _canonical_html() -> Call:
    from octavo_digest import canonical_html

    return canonical_html


def _summary(query: str) -> Call:
    from octavo_digest import extract_sentences
    from octavo_text.canonical import canonicalise

    return lambda text: extract_sentences(canonicalise(text), query)


def _evidence(scorer: str) -> Call:
    from octavo_digest import find_evidence, scorer_named
    from octavo_text.canonical import canonicalise

    return lambda text: find_evidence(canonicalise(text), QUERY, scorer=scorer_named(scorer))


def _digest(content_type: str) -> Call:
    from octavo_digest import DigestPolicy, DocumentDigestor
    from octavo_digest.batch import digest_batch
    from octavo_digest.config import DigestConfig
    from octavo_digest.source import Source

    def call(text: str) -> object:
        digestor = DocumentDigestor(
            config=DigestConfig(policy=DigestPolicy.ALWAYS, archive_content=False, timeout=600.0)
        )
        source = Source(id="s", content=text, content_type=content_type)
        return asyncio.run(digest_batch(digestor, [source], QUERY))

    return call


def _verify() -> Call:
    from octavo_contracts import DigestPayload, verify_digest
    from octavo_digest import PlainDigestor
    from octavo_text.canonical import canonicalise

    made = (
        PlainDigestor()
        .digest(canonicalise(" ".join(f"The tide gauge of harbour {n} was read at noon." for n in range(99))), QUERY)
        .payload
    )
    assert isinstance(made, DigestPayload)
    return lambda text: verify_digest(made, text)


def _payload() -> Call:
    from octavo_contracts import DigestPayload

    return DigestPayload.try_parse


def _locator() -> Call:
    from octavo_contracts import Locator, LocatorError, page_spans, resolve_locator

    def call(text: str) -> object:
        with suppress(LocatorError):
            Locator.parse(text)
        return page_spans(text), resolve_locator(text, "char:0-3")

    return call


# -- looks -----------------------------------------------------------------------------------------------------


def _sniffed() -> Call:
    from octavo.formats import sniff

    return lambda text: [
        sniff(text.encode("utf-8", "replace"), name=f"a{extension}") for extension in ("", ".md", ".html")
    ]


def _document_type() -> Call:
    from octavo.builtins.classification.document_types import TypeEvidence, document_type, has_exhibits
    from octavo.builtins.classification.non_pdf import strip_markup
    from octavo.builtins.classification.text_tables import table_rows

    def call(text: str) -> object:
        evidence = TypeEvidence(pages=[text], media_type="text/plain")
        return document_type(evidence), has_exhibits([text]), table_rows(text), strip_markup(text)

    return call


def _assessed(media_type: str) -> Call:
    from octavo.builtins.quality.assess import assess
    from octavo_contracts import Conversion, Page, PageSight, QualityEvidence

    def call(text: str) -> object:
        page = Page(number=1, kind="whole", markdown=text, text=text)
        conversion = Conversion(pages=(page,), paginated=False)
        sight = PageSight(page=1, text=text[:4000], table_rows=3, heading_lines=1)
        return assess(conversion, QualityEvidence(media_type=media_type, sights=(sight,)))

    return call


def _preflight() -> Call:
    from octavo_contracts import OctavoError
    from octavo_sandbox.preflight.limits import PreflightLimits
    from octavo_sandbox.preflight.markup import check_markup

    def call(text: str) -> None:
        for media_type in ("text/html", "application/xml", "application/json"):
            try:
                check_markup(text.encode("utf-8", "replace"), media_type=media_type, limits=PreflightLimits())
            except OctavoError:
                continue

    return call


# -- what is asked of a stored text ----------------------------------------------------------------------------


def _brief() -> Call:
    from octavo_brief.making import make_brief
    from octavo_text.canonical import canonicalise

    return lambda text: make_brief(canonicalise(text), [text])


def _quote() -> Call:
    from octavo_library.facade.document_annotations import find_again

    def call(text: str) -> None:
        for quote in (text[:1], text[: len(text) // 10]):
            find_again(text, quote, near=len(text) // 2, before=text[:32], after=text[-32:])

    return call


def _sketch() -> Call:
    from octavo_library.facade.similarity import sketch_text

    return sketch_text


def _query() -> Call:
    from octavo_library.search.query import parse

    return parse


def _searchable() -> Call:
    from octavo_library.search.cjk_segmentation import searchable, sought

    return lambda text: (searchable(text), sought(text))


def _literal() -> Call:
    from octavo_fields.extracting import Extractor, extract_fields
    from octavo_literal.extractor import PatternExtractor

    kinds = ("date", "amount", "number", "email", "url", "phone", "case_number", "citation", "identifier")
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {kind: {"type": "string", "title": "Tide", "x-octavo": {"kind": kind}} for kind in kinds},
    }
    extractor = Extractor(name="octavo-literal", ask=PatternExtractor())
    return lambda text: extract_fields(text, schema, [extractor])


def _entity_checks() -> Call:
    from octavo_library.entities.names import normal_form

    return lambda text: [normal_form(text, label=label) for label in ("person", "company", "date")]


def _number() -> Call:
    from octavo_library.text.dates import coarse_reading, readings
    from octavo_library.text.numbers import number_reading

    return lambda text: (readings(text), coarse_reading(text), number_reading(text))


def _compared() -> Call:
    from octavo_library.facade.routing_review.side_by_side import rows
    from octavo_library.ingestion.sampling.measures import agreement, count_headings, count_tables

    return lambda text: (
        agreement(text, text[1:]),
        count_headings(text),
        count_tables(text),
        rows(text, text[len(text) // 3 :]),
    )


def _placed() -> Call:
    from octavo_text.tables.table_place import find_place

    return lambda text: find_place(text[:1000].split(), [line.split() for line in text.splitlines()])


def _validated() -> Call:
    from octavo_conformance.validation import read_documents

    def call(text: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "result.json")
            path.write_text(json.dumps({"ingestion_status": "complete", "canonical_text": text}))
            list(read_documents(path))

    return call


# -- plugins and libraries -------------------------------------------------------------------------------------


@contextmanager
def _converting(extension: str, engine: str | None = None) -> Iterator[Call]:
    from octavo import convert
    from octavo.runtime import Runtime
    from octavo.settings.settings import Settings

    with Runtime(Settings(workers=1)) as runtime:
        name = f"a.{extension}"

        def call(text: str) -> None:
            data = text.encode("utf-8", "replace")
            convert(data, name=name, plugin=engine, timeout=DEADLINE, runtime=runtime)

        yield call


@contextmanager
def _library(extension: str, use: Callable[[Any, Any], object] | None = None) -> Iterator[Call]:
    """A library; `use` is given it and the document, and what it takes counts with the taking in."""
    from octavo.settings.settings import Settings
    from octavo_library import Library

    with (
        tempfile.TemporaryDirectory() as folder,
        Library.open(Path(folder, "library"), settings=Settings(workers=1)) as library,
    ):

        def call(text: str) -> None:
            done = library.ingest(text.encode("utf-8", "replace"), name=f"a.{extension}", timeout=DEADLINE)
            if use is not None and done.document_id is not None and done.result.ingestion_status != "hard_failed":
                use(library, done.document)

        yield call


def _use_everything(library: Any, document: Any) -> None:
    from octavo_brief import brief
    from octavo_digest import digest_document

    library.search(QUERY, seconds=None)
    digest_document(library, document, query=QUERY, digestor="core")
    brief(document)
    document.similar()
    document.archive()
    assert document.pages
    library.maintenance.verify()


_FORMATS = ("txt", "md", "html", "csv", "json", "xml", "tex", "org", "rst", "eml", "vtt", "srt", "ipynb")

ENTRIES: Mapping[str, Entry] = {
    "canonical text": computed(_canonical),
    "chunks": computed(_chunks),
    "plain text": computed(_plain_text),
    "pipe tables": computed(_tables),
    "page split": computed(_page_split),
    "markdown escapes": computed(_escaped),
    "canonical html": computed(_canonical_html),
    "summary": computed(partial(_summary, "")),
    "summary for a query": computed(partial(_summary, QUERY)),
    "evidence, keyword": computed(partial(_evidence, "keyword/v1")),
    "evidence, bm25": computed(partial(_evidence, "bm25/v1")),
    "digest of text": computed(partial(_digest, "text/plain")),
    "digest of html": computed(partial(_digest, "text/html")),
    "verify": computed(_verify),
    "payload": computed(_payload),
    "locators": computed(_locator),
    "media type": computed(_sniffed),
    "document type": computed(_document_type),
    "quality": computed(partial(_assessed, "text/markdown")),
    "quality of html": computed(partial(_assessed, "text/html")),
    "quality of office": computed(partial(_assessed, "application/vnd.oasis.opendocument.text")),
    "preflight": computed(_preflight),
    "brief": computed(_brief),
    "quote": computed(_quote),
    "sketch": computed(_sketch),
    "search query": computed(_query),
    "index": computed(_searchable),
    "literal fields": computed(_literal),
    "names": computed(_entity_checks),
    "numbers and dates": computed(_number),
    "comparison": computed(_compared),
    "table placing": computed(_placed),
    "validate": computed(_validated),
    **{f"convert:{extension}": Entry(ready=partial(_converting, extension), is_slow=True) for extension in _FORMATS},
    "ingest:txt": Entry(ready=partial(_library, "txt"), is_slow=True),
    "library:txt": Entry(ready=partial(_library, "txt", _use_everything), is_slow=True),
    "library:md": Entry(ready=partial(_library, "md", _use_everything), is_slow=True),
}
"""Name → what is given a text."""
