"""Converts a web page: decodes and parses it, removes hidden parts, chooses a method, and renders it."""

from __future__ import annotations

from lxml import html
from octavo_contracts import (
    Conversion,
    ConversionWarning,
    ConvertRequest,
    DegradedFlag,
    DocumentMetadata,
    HiddenText,
    Page,
    SourceCorrupt,
    SourceEmpty,
    SourceView,
    UnsupportedFormat,
    UsageError,
)
from octavo_contracts.authoring.decoding import Decoded, decode_page

from .body import Rendered, plain_text, render
from .extraction import ExtractionFailed, extract, page_metadata, require_engine
from .headlines import with_headline
from .hidden import MAX_HIDDEN_CHARS, take_hidden
from .links import resolve_links
from .main_content import chosen_texts, marked, unchosen, without_marks
from .parsing import Parsed, parse
from .shape import Shape, body_of, count_words, empty_reason, measure

NAME = "trafilatura"
MEDIA_TYPES = frozenset(("text/html", "application/xhtml+xml"))

LITTLE_SHARE = 0.25
"""Below this share of the visible words, and below `LITTLE_WORDS`, the main content found is not believed."""

LITTLE_WORDS = 300

HEAP_SHARE = 0.8
"""From this share of the page's words on, a single paragraph of more than `HEAP_WORDS` is no main content."""

HEAP_WORDS = 150

WHOLE_BODY = "main_content_not_found"
"""Warning: the whole page was converted, furniture by role left out."""


def convert_page(source: SourceView, request: ConvertRequest) -> Conversion:
    """Convert a web page to one `whole` page of markdown (CNV-11).

    Args:
        source: the page.
        request: `pages` must be None: web pages have none.

    Raises:
        UnsupportedFormat: the media type is not one of `MEDIA_TYPES`.
        UsageError: single pages were asked for.
        SourceEmpty: no bytes.
        SourceCorrupt: no markup and no text in the bytes.
        ToolUnavailable: trafilatura cannot be imported.
    """
    _check(source, request)
    version = require_engine()
    decoded = decode_page(source.read_bytes())
    parsed = parse(decoded.text)
    if parsed is None:
        raise SourceCorrupt("the bytes hold no HTML element and no text", source=source.name, plugin=NAME)
    warnings = _reading_warnings(decoded, parsed)
    hidden = take_hidden(parsed.root)
    if sum(len(entry.text) for entry in hidden) >= MAX_HIDDEN_CHARS:
        message = f"Only the first {MAX_HIDDEN_CHARS} characters of the page's hidden text were kept."
        warnings.append(ConversionWarning(code="hidden_text_cut", message=message))
    rendered, metadata, more = _read(parsed.root)
    return _conversion(rendered, hidden, metadata, (*warnings, *more), version)


def _check(source: SourceView, request: ConvertRequest) -> None:
    if request.media_type not in MEDIA_TYPES:
        raise UnsupportedFormat(
            f"{request.media_type} is no web page; this plugin reads {', '.join(sorted(MEDIA_TYPES))}",
            source=source.name,
            plugin=NAME,
        )
    if request.pages is not None:
        raise UsageError(
            "pages were asked for, but the plugin has no capability `page_ranges`: a web page is one whole",
            source=source.name,
            plugin=NAME,
            remedy="Leave the pages out",
        )
    if source.size == 0:
        raise SourceEmpty("the file has no bytes", source=source.name, plugin=NAME)


def _reading_warnings(decoded: Decoded, parsed: Parsed) -> list[ConversionWarning]:
    found = []
    if decoded.repaired:
        message = f"{decoded.repaired} characters could not be decoded as {decoded.encoding} and are shown as U+FFFD."
        found.append(ConversionWarning(code=DegradedFlag.ENCODING_REPAIRED, message=message))
    if decoded.guessed:
        message = f"The page does not say its encoding and is not UTF-8; it was read as {decoded.encoding}."
        found.append(ConversionWarning(code="encoding_guessed", message=message))
    if parsed.flattened:
        message = "Elements nested too deep were unwrapped: their text is kept, their structure is not."
        found.append(ConversionWarning(code="deep_nesting", message=message))
    if parsed.cut:
        message = f"The parser stopped before the end of the page: {parsed.cut.strip()}."
        found.append(ConversionWarning(code=DegradedFlag.PARTIAL_CONVERSION, message=message))
    return found


def _read(root: html.HtmlElement) -> tuple[Rendered, DocumentMetadata, list[ConversionWarning]]:
    """Return the page's content by the best method, with warnings about that method."""
    shape = measure(root)
    resolve_links(root)
    reason = empty_reason(root, shape)
    page = None if shape.is_document or reason else marked(root)
    try:
        found = extract(root if page is None else page.root)
    except ExtractionFailed as error:
        note = _whole_body_warning(f"trafilatura failed ({error})")
        return render(body_of(root), skip=shape.furniture), page_metadata(root), [note]
    if reason:
        note = ConversionWarning(code=DegradedFlag.NO_CONTENT, message=f"The page has no content of its own: {reason}.")
        return render(body_of(root), skip=shape.furniture), found.metadata, [note]
    if shape.is_document:
        return render(body_of(root)), found.metadata, []
    words = count_words(plain_text(found.body))
    if _is_little(words, shape) or _is_heap(found.body, words, shape):
        whole = render(body_of(root), skip=shape.furniture)
        note = _whole_body_warning(f"the main content found has {words} words, the page {shape.words}")
        return whole, found.metadata, [note]
    chosen = None if page is None else chosen_texts(found.body, page)
    if chosen is None:
        rendered = render(without_marks(found.body))
    else:
        rendered = render(body_of(root), skip=unchosen(root, chosen))
    return with_headline(rendered, root, found.metadata, is_article=shape.is_article), found.metadata, []


def _is_little(words: int, shape: Shape) -> bool:
    """Whether trafilatura took a corner of a page that is no article for its main content."""
    return words == 0 or (not shape.is_article and words < LITTLE_WORDS and words < shape.words * LITTLE_SHARE)


def _is_heap(found: html.HtmlElement, words: int, shape: Shape) -> bool:
    """Whether trafilatura, having found nothing, gave all words of the page as one paragraph."""
    return not shape.is_article and len(found) <= 1 and words >= HEAP_SHARE * shape.words and words > HEAP_WORDS


def _whole_body_warning(why: str) -> ConversionWarning:
    return ConversionWarning(code=WHOLE_BODY, message=f"The whole page was converted, site navigation left out: {why}.")


def _conversion(
    rendered: Rendered,
    hidden: tuple[HiddenText, ...],
    metadata: DocumentMetadata,
    warnings: tuple[ConversionWarning, ...],
    version: str,
) -> Conversion:
    page = Page(number=1, kind="whole", markdown=rendered.markdown, tables=tuple(rendered.tables), hidden_text=hidden)
    return Conversion(pages=(page,), paginated=False, metadata=metadata, warnings=warnings, engine_version=version)
