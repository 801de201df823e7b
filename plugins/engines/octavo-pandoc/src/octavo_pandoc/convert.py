"""Converts a document to one page of kind `whole`: checks it, calls Pandoc, and writes markdown from Pandoc's tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from octavo_contracts import (
    ContentTooLarge,
    Conversion,
    ConversionWarning,
    ConvertRequest,
    HiddenText,
    HookContext,
    Page,
    SourceEmpty,
    SourceView,
    UsageError,
)
from octavo_contracts.authoring import escape, require_media_type

from .blocks import BlockWriter
from .cell_lists import CellLists
from .chapters import with_links_around_code
from .decoding import text_in_utf8, xml_in_utf8
from .formats import FORMATS, Format
from .formulas import put_in_lines
from .inlines import plain
from .jats import Article, prepare_article
from .open_text import Prepared
from .package import Package, refuse_entities, spell_out_entities
from .program import PLUGIN, Tree, find_program, run, version
from .properties import meta_text, metadata_of
from .remarks import Remark
from .rich_letters import RichLetters
from .rich_parts import RichParts
from .rich_text import ready_rich_text
from .shown_labels import ShownLabels
from .unknown import unknown_commands
from .word import prepare

_NOT_READ: Final[Mapping[str, tuple[tuple[bytes, ...], str]]] = MappingProxyType(
    {
        "rtf": ((rb"{\mmath", rb"{\*\mmath", rb"\objclass Equation"), "Equations of rich text are not read."),
        "fb2": ((b"<table",), "Tables of a FictionBook are not read."),
        "opml": ((b"Url=", b" url="), "Addresses of an outline's entries are not read."),
        "mediawiki": (
            (b"colspan", b"rowspan"),
            "The document has tables with merged cells; cells beside them may be missing.",
        ),
        "org": (
            (b":ARCHIVE:", b":noexport:", b"\n* COMMENT "),
            "Archived, unexported and commented headings are not read.",
        ),
        "docbook": ((b"http://www.w3.org/2001/XInclude",), "Files that the document includes are not opened."),
        "rst": (
            (b".. literalinclude::", b".. toctree::"),
            "Files that the document includes are not opened; their names stand in the text.",
        ),
    }
)
"""Reader → bytes that show what Pandoc drops in silence, and how that is said."""
_NAMED_FILES = 5


@dataclass(frozen=True, kw_only=True)
class _Ready:
    """A document prepared for Pandoc, and the parts removed from it."""

    document: bytes
    package: Package | None = None
    hidden: tuple[HiddenText, ...] = ()
    changes: list[Remark] = field(default_factory=list)
    comments: list[Remark] = field(default_factory=list)
    article: Article | None = None
    cell_lists: CellLists | None = None
    labels: ShownLabels | None = None
    alternatives: Mapping[str, list[str]] = field(default_factory=dict)
    rich_letters: RichLetters | None = None
    rich_parts: RichParts | None = None


def convert_document(source: SourceView, *, request: ConvertRequest, context: HookContext) -> Conversion:
    """Convert a document to one page of kind `whole`.

    Args:
        source: the document.
        request: its type; options, pages and passwords are not taken.
        context: the work folder and the deadline.

    Raises:
        UnsupportedFormat: the type is none of the manifest's.
        UsageError: single pages or options are asked for.
        SourceEmpty: no bytes.
        SourceCorrupt: the bytes are no whole document of the type.
        SourceEncrypted: a password is wanted; this plugin takes none.
        ContentTooLarge: beyond a limit.
        ToolUnavailable: Pandoc is not installed, or too old.
        ConversionTimeout, MemoryExceeded, ConverterCrashed: see `program.run`.
    """
    require_media_type(request, FORMATS)
    _refuse_what_is_not_taken(request)
    if source.size == 0:
        raise SourceEmpty("the document has no bytes", plugin=PLUGIN)
    program, form = find_program(), FORMATS[request.media_type]
    ready = _prepare(source.read_bytes(), form)
    answer = run(
        program,
        reader=form.reader,
        document=ready.document,
        seconds=context.remaining(),
        work_dir=context.work_dir,
    )
    try:
        tree = answer.tree if ready.rich_letters is None else ready.rich_letters.put_back(answer.tree)
        page, warnings = _page(tree, form, ready)
    except RecursionError as error:
        raise ContentTooLarge("the document is nested too deeply", plugin=PLUGIN) from error
    return Conversion(
        pages=(page,),
        paginated=False,
        metadata=metadata_of(tree["meta"], ready.package),
        warnings=(*warnings, *_not_included(answer.not_loaded), *unknown_commands(answer.skipped)),
        engine_version=f"pandoc {version(program)}",
    )


def _refuse_what_is_not_taken(request: ConvertRequest) -> None:
    if request.pages is not None:
        raise UsageError(
            "pandoc reads whole documents: it does not have the capability `page_ranges`",
            plugin=PLUGIN,
            remedy="Ask for the document without a page range",
        )
    if request.options:
        raise UsageError(f"pandoc has no option {min(request.options)!r}", plugin=PLUGIN, remedy="It has none")


def _prepare(data: bytes, form: Format) -> _Ready:
    if form.container == "zip":
        package = Package(data, main=form.main)
        if form.reader == "docx":
            document, hidden = prepare(package)
            return _Ready(document=document, package=package, hidden=hidden)
        if form.reader == "odt":
            odt = Prepared(package)
            return _Ready(
                document=odt.document,
                package=package,
                hidden=odt.hidden,
                changes=odt.changes,
                comments=odt.comments,
                cell_lists=odt.cell_lists,
                labels=odt.labels,
                alternatives=odt.alternatives,
            )
        return _Ready(document=with_links_around_code(package) if form.reader == "epub" else data, package=package)
    if form.container == "xml":
        data = xml_in_utf8(data)
        refuse_entities(data, part="document")
        data = spell_out_entities(data)
        if form.reader == "jats":
            article = prepare_article(data)
            return _Ready(document=article.document, article=article)
        return _Ready(document=data)
    if form.reader == "rtf":
        letters = RichLetters(data)
        labels, parts = ShownLabels(data), RichParts(letters.document)
        document = ready_rich_text(parts.document, labels)
        return _Ready(document=document, labels=labels, hidden=parts.hidden, rich_letters=letters, rich_parts=parts)
    return _Ready(document=text_in_utf8(data))


def _page(tree: Tree, form: Format, ready: _Ready) -> tuple[Page, tuple[ConversionWarning, ...]]:
    meta: dict[str, Any] = tree["meta"]
    title = meta_text(meta.get("title")) if form.title_in_body else ""
    writer = BlockWriter(shift=1 if title and form.below_title else 0, alternatives=ready.alternatives)
    if form.reader == "odt":
        put_in_lines(tree["blocks"])
    if ready.labels is not None:
        ready.labels.put_back(tree["blocks"])
    blocks = _front(meta, form, "" if _begins_with(tree["blocks"], title) else title, writer, ready.article)
    text = tree["blocks"] if ready.cell_lists is None else ready.cell_lists.put_back(tree["blocks"])
    blocks.append(writer.markdown(text if ready.rich_parts is None else ready.rich_parts.put_back(text)))
    if ready.article is not None:
        blocks += ready.article.references
    inlines = writer.inlines
    blocks += [f"[^{place}]: {note}" for place, note in enumerate(inlines.notes, start=1)]
    inlines.review.changes += ready.changes
    inlines.review.comments += ready.comments
    blocks += inlines.review.sections()
    warnings = _left_out(ready.package)
    marks, message = _NOT_READ.get(form.reader, ((), ""))
    if any(mark in ready.document for mark in marks):
        warnings.append(ConversionWarning(code="partial_conversion", message=message))
    markdown = "\n\n".join(filter(None, blocks))
    if not markdown:
        warnings.append(ConversionWarning(code="no_content", message="Pandoc found no text."))
    page = Page(
        number=1,
        kind="whole",
        markdown=f"{markdown}\n" if markdown else "",
        tables=tuple(writer.tables),
        hidden_text=(*ready.hidden, *inlines.hidden),
        has_images=inlines.has_images,
    )
    return page, tuple(warnings)


def _begins_with(blocks: Sequence[dict[str, Any]], title: str) -> bool:
    """Whether the text has its title as its first heading: a FictionBook has it in both places."""
    first = blocks[0] if blocks else {"t": ""}
    return first["t"] == "Header" and plain(first["c"][2]).strip() == title


def _front(meta: dict[str, Any], form: Format, title: str, writer: BlockWriter, article: Article | None) -> list[str]:
    """Return the parts that Pandoc moves from the text to the metadata, to be prepended to the text."""
    if not form.title_in_body:
        return []
    blocks = [f"# {escape(title)}"] if title else []
    keys = ("subtitle", "author", "date") if article else ("subtitle", "author", "institute", "date")
    blocks += [escape(meta_text(meta.get(key))) for key in keys]
    if article is not None:
        blocks += article.affiliations
    if abstract := meta.get("abstract"):
        body = abstract["c"] if abstract["t"] == "MetaBlocks" else [{"t": "Para", "c": abstract["c"]}]
        blocks += ["## Abstract", writer.below(body)]
    if article is not None:
        blocks += article.keywords
    return blocks


def _not_included(names: Sequence[str]) -> tuple[ConversionWarning, ...]:
    if not names:
        return ()
    more = f" and {len(names) - _NAMED_FILES} more" if len(names) > _NAMED_FILES else ""
    listed = ", ".join(name[:80] for name in names[:_NAMED_FILES])
    message = f"Files that the document includes are not opened: {listed}{more}."
    return (ConversionWarning(code="partial_conversion", message=message),)


def _left_out(package: Package | None) -> list[ConversionWarning]:
    """Parts of a package that Pandoc passes over, or reads as far as they go."""
    names = package.names() if package else []
    warnings = []
    if any(name.rpartition("/")[2].lower() == "vbaproject.bin" for name in names):
        message = "The document carries macros; they were not run."
        warnings.append(ConversionWarning(code="active_content", message=message))
    if any(name.startswith(("word/header", "word/footer")) and name.endswith(".xml") for name in names):
        message = "Headers and footers of the pages are not read."
        warnings.append(ConversionWarning(code="headers_left_out", message=message))
    if any(name.startswith(("word/charts/chart", "word/diagrams/data")) for name in names):
        message = "Charts and diagrams are not read."
        warnings.append(ConversionWarning(code="partial_conversion", message=message))
    for name in package.cut_off() if package else ():
        message = f"Chapter {name[:80]!r} ends in the middle; the rest of its text is missing."
        warnings.append(ConversionWarning(code="partial_conversion", message=message))
    return warnings
