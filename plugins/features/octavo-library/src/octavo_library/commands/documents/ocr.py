"""`octavo ocr`: recognise the text of scanned pages; write a searchable copy.

JSON:
    `--json` prints one object:

    - `documents`: a list in the order given, of `source`, `document_id` (null for a file that is not in the library),
      `version` (number of the new version, or null), `held_back` (null, or why that version was not made the active
      one, as for `octavo reconvert`), `pages` (a list of `OCRResult`: `octavo schema ocr_result`), `unread` (a list of
      `page` and `why`), `stored` (numbers of the pages whose text was stored before and not recognised again),
      `doubtful` (page numbers with a low mean confidence), `pictures` (a list of `page`, `picture`, `result`, an
      `OCRResult` or null if it has no text, `doubtful`, and `why`, null if it was read), `searchable` (the copy's path,
      or null).
    - `failed`: a list of `source`, `reason`, `message`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import json_option, library_option, password_option, timeout_option
from octavo_cli.toolkit.running import octavo_command

from ...text.page_list import page_list

if TYPE_CHECKING:
    from octavo.runtime import Runtime
    from octavo.settings.ocr import OcrOptions
    from octavo_contracts import ExitCode

    from ...facade.document import Document
    from ...facade.library import Library
    from ...facade.recognition.cost_limit import RecognitionCost
    from ...facade.recognition.recognised import RecognitionResult

_REMEDY = "Name documents or files, or give --needed for all documents that need OCR"
DEFAULT_COPY = "{name}_searchable.pdf"
"""Name of the searchable copy if the user gives none; `{name}` is the document's name without its suffix (OCR-9)."""


def page_numbers(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """Page numbers such as 3-5,8, ascending, each once."""
    if value is None:
        return None
    numbers = page_list(value)
    if numbers is None:
        raise click.BadParameter(f"invalid page list {value!r}; write it as 3-5,8", ctx=ctx, param=param)
    return numbers


@octavo_command(name="ocr")
@click.argument("documents", metavar="DOC|PATH...", nargs=-1)
@click.option("--needed", is_flag=True, help="All documents of the library that need OCR.")
@click.option("--corpus", metavar="NAME", help="With --needed: only the documents of this corpus.")
@click.option(
    "--pages",
    metavar="LIST",
    callback=page_numbers,
    help="Exactly these pages, such as 3-5,8; by default those that need it.",
)
@click.option("--engine", metavar="PLUGIN", help="Use only this plugin.")
@click.option(
    "--language",
    "languages",
    metavar="TAG",
    multiple=True,
    help="Language of the text, such as en or de; may be repeated.",
)
@click.option("--pictures", is_flag=True, help="Read the pictures inside Word documents and presentations.")
@click.option(
    "--allow-cloud",
    is_flag=True,
    help="Allow the --engine plugin to send a PATH over the network although there is no library to check.",
)
@click.option(
    "--confirm-cost", is_flag=True, help="Go on although the recognition costs more than the limit of a corpus."
)
@click.option("--text", "wants_text", is_flag=True, help="With --needed: print the recognised text too.")
@click.option("--again", is_flag=True, help="Recognise pages again that are already stored.")
@click.option(
    "--activate",
    is_flag=True,
    help="Make the new version the active one even if it has much less text on a page.",
)
@click.option(
    "--searchable",
    metavar="[FILE]",
    is_flag=False,
    flag_value=DEFAULT_COPY,
    type=click.Path(dir_okay=False),
    help="Write a copy of the PDF with searchable and selectable text; without FILE, into a new file "
    f"{DEFAULT_COPY} of the current folder. Give it after DOC or PATH then.",
)
@library_option
@password_option
@timeout_option
@json_option
def command(
    documents: tuple[str, ...],
    needed: bool,
    corpus: str | None,
    pages: tuple[int, ...] | None,
    engine: str | None,
    languages: tuple[str, ...],
    pictures: bool,
    allow_cloud: bool,
    confirm_cost: bool,
    wants_text: bool,
    again: bool,
    activate: bool,
    searchable: str | None,
    library: str,
    password: str | None,
    timeout: float | None,
    as_json: bool,
) -> ExitCode:
    """Recognise the text of scanned pages; write a searchable copy.

    For a DOC of the library, as for `octavo show`, or a PATH whose bytes the library has, the text becomes a new
    version of the document, in which all other pages are unchanged; `octavo activate` goes back. For any other PATH,
    nothing is stored. The text goes to standard output, with a marker before each page,
    which names the document if there are several. With --needed, a line a document goes to standard error instead, and the text
    only with --text.

    A remote service gets a PATH only if --engine names it. If the library has the same bytes, its corpora decide as for
    a DOC; without a library, --allow-cloud is required. Pages of a service with a price count towards the cost limits of
    the corpora of a DOC: the command stops before a document that would go above one, unless --confirm-cost is given.
    """
    from octavo.settings.ocr import OcrOptions
    from octavo_cli.toolkit.output import note, write_json
    from octavo_cli.toolkit.running import report
    from octavo_contracts import ExitCode, OctavoError, UsageError, strongest
    from octavo_sandbox.filesystem.output_file import check_output

    from ..document_progress import DocumentProgress
    from .recognition_report import explain, recognition_keys, summary_line, write_pages

    if bool(documents) == needed:
        raise UsageError("no documents given" if not documents else "documents and --needed were given", remedy=_REMEDY)
    if corpus is not None and not needed:
        raise UsageError("--corpus needs --needed", remedy="Give both, or name documents without --corpus")
    if wants_text and not needed:
        raise UsageError("--text needs --needed", remedy="Give both; without --needed the text is printed anyway")
    if searchable is not None and (needed or len(documents) > 1):
        raise UsageError("--searchable takes a single document", remedy="Run the command for each document")
    # In an office document, the parts that need OCR are its pictures.
    asked = OcrOptions(pages=pages, engine=engine, again=again, embedded=pictures or needed)
    codes: list[ExitCode] = []
    done: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    with ExitStack() as stack:
        run = _Run(
            stack,
            asked,
            activate=activate or None,
            languages=languages,
            library=library,
            password=password,
            timeout=timeout,
            leave=_Leave(allow_cloud=allow_cloud, confirm_cost=confirm_cost),
        )
        if needed:
            documents = run.unread(corpus)
            if not documents:
                note("octavo: no documents need OCR")
        progress = DocumentProgress() if needed else None
        if progress is not None:
            stack.callback(progress.close)
        for number, name in enumerate(documents, start=1):
            if progress is not None:
                progress.show(run.title(name), total=len(documents), finished=min(1, number - 1))
            if searchable is not None and os.path.exists(name):
                check_output(_copy_path(searchable, name), never=(name,))
            try:
                recognised, written = run.one(name, searchable=searchable)
            except OctavoError as error:
                if isinstance(error, UsageError) and len(documents) == 1:
                    raise
                report(error.located(source=name))
                codes.append(error.exit_code)
                failed.append({"source": name, "reason": error.reason, "message": error.message})
                continue
            done.append(recognition_keys(recognised, written, doubtful_below=run.doubtful_below))
            if needed or len(documents) > 1:
                note(f"octavo: {number}/{len(documents)} {summary_line(recognised, status=run.status(recognised))}")
            explain(recognised, several=len(documents) > 1, pictures=asked.embedded, library=library)
            if recognised.is_incomplete or (recognised.version is not None and recognised.version.held_back):
                codes.append(ExitCode.DEGRADED)
            if not as_json and (wants_text or not needed):
                write_pages(recognised, several=len(documents) > 1, doubtful_below=run.doubtful_below)
    if as_json:
        write_json({"documents": done, "failed": failed})
    return strongest(codes)


def _copy_path(target: str, document: str | Path) -> str:
    """Return the path of the searchable copy of the document at a path.

    Raises:
        UsageError: the user gave no name and the default one is taken: only a name that the user gave is written over.
    """
    from octavo_contracts import UsageError

    if target != DEFAULT_COPY:
        return target
    path = DEFAULT_COPY.replace("{name}", os.path.splitext(os.path.basename(document))[0])
    if os.path.lexists(path):
        raise UsageError(
            "a file with the default name of the searchable copy exists",
            source=path,
            remedy=f"Move it, or write over it with --searchable {path}",
        )
    return path


@dataclass(frozen=True, kw_only=True)
class _Leave:
    """What the user allows: cloud services without a library to ask, and a cost above the limits of corpora."""

    allow_cloud: bool
    confirm_cost: bool


class _Run:
    """Recognises documents; opens the library when the first document needs it."""

    def __init__(
        self,
        stack: ExitStack,
        asked: OcrOptions,
        *,
        activate: bool | None,
        languages: tuple[str, ...],
        library: str,
        password: str | None,
        timeout: float | None,
        leave: _Leave,
    ) -> None:
        from octavo.runtime import Runtime
        from octavo_cli.toolkit.configured import settings
        from octavo_cli.toolkit.running import cancelled_by_interrupt

        self._stack = stack
        self._asked = asked
        self._activate = activate
        self._library_path = library
        self._password = password
        self._timeout = timeout
        self._leave = leave
        self._cost: RecognitionCost | None = None
        self._library: Library | None = None
        self._cancel = stack.enter_context(cancelled_by_interrupt())
        chosen = settings(ocr__languages=languages or None)
        self._settings = chosen.ocr
        self._runtime: Runtime = stack.enter_context(Runtime(chosen))

    def one(self, name: str, *, searchable: str | None) -> tuple[RecognitionResult, str | None]:
        """Recognise one document; with `searchable`, write the copy to that path."""
        from octavo.documents.source import Source
        from octavo_contracts import ref_path
        from octavo_sandbox.filesystem.output_file import check_output

        from ...facade.file_owners import owners_of_file
        from ...facade.recognition.on_request import recognise_document, recognise_source

        is_file = os.path.exists(name)
        document = self._document_at(name) if is_file else self._open_library().document(name)
        if document is None:
            if searchable is not None:
                searchable = _copy_path(searchable, name)
            with Source.from_path(name) as source:
                done = recognise_source(
                    self._runtime,
                    source,
                    self._asked,
                    password=self._password,
                    timeout=self._timeout,
                    cancel=self._cancel,
                    owners=owners_of_file(
                        source.raw_file_hash,
                        self._library_to_ask,
                        surface="ocr",
                        named=self._asked.engine is not None,
                        allow_cloud=self._leave.allow_cloud,
                    ),
                )
                return done, self._copy(source, done, searchable)
        places = self._open_library().context.index.paths.all(document_id=document.id, limit=10_000)
        originals = [ref_path(place.path) for place in places if place.path.startswith("file:")]
        with document.original.open() as source:
            if searchable is not None:
                # A document that was stored from bytes has no path; its id is a unique name.
                searchable = _copy_path(searchable, name if is_file else next(iter(originals), document.id))
                check_output(searchable, never=originals)
            done = recognise_document(
                document,
                self._asked,
                password=self._password,
                timeout=self._timeout,
                cancel=self._cancel,
                activate=self._activate,
                cost=self._cost_of_run(),
            )
            return done, self._copy(source, done, searchable, originals)

    def _document_at(self, path: str) -> Document | None:
        """The library's document with the bytes at a path; None if there is no library or no such document."""
        from octavo.documents.source import hash_file
        from octavo_contracts import SourceMissing

        from ...storage import has_index

        if not has_index(Path(self._library_path)):
            return None
        library = self._open_library()
        raw_hash = hash_file(path)
        known = library.context.index.documents.find_by_hash([raw_hash]).get(raw_hash) if raw_hash is not None else None
        if known is None:
            return None
        document = library.document(known.document_id)
        try:
            document.original.open().close()
        except SourceMissing:
            document.original.relink(path)  # it has moved here
        return document

    def title(self, document_id: str) -> str:
        """Name of a document of the library."""
        from ...facade.document_names import document_name

        return document_name(self._open_library().document(document_id))

    def status(self, done: RecognitionResult) -> str:
        """Status of a document of the library after its recognition, as `octavo list` shows it; empty for a file."""
        from ..document_text import STATUS_TEXTS

        if done.document_id is None:
            return ""
        return STATUS_TEXTS[self._open_library().document(done.document_id).status]

    def unread(self, corpus: str | None) -> tuple[str, ...]:
        """Ids of the documents that need OCR."""
        return tuple(document.id for document in self._open_library().recognition.pending(corpus=corpus))

    @property
    def doubtful_below(self) -> float:
        """The mean confidence below which a page is doubtful."""
        return self._settings.doubtful_below

    def _copy(
        self, source: Any, done: RecognitionResult, target: str | None, originals: Sequence[str | Path] = ()
    ) -> str | None:
        from octavo_sandbox.filesystem.output_file import write_output

        from ...facade.recognition.searchable_copy import searchable_copy

        if target is None:
            return None
        copy = searchable_copy(self._runtime, source, done, password=self._password)
        never = originals if source.path is None else (source.path, *originals)
        write_output(target, copy, never=never, sha256=source.raw_file_hash, size=source.size, shown="searchable copy")
        return target

    def _cost_of_run(self) -> RecognitionCost:
        from ...facade.recognition.cost_limit import RecognitionCost

        if self._cost is None:
            context = self._open_library().context
            self._cost = RecognitionCost(context, self._asked, is_confirmed=self._leave.confirm_cost)
        return self._cost

    def _library_to_ask(self) -> Library | None:
        """The library that may know a file, or None."""
        from pathlib import Path

        from ...storage import has_index

        return self._open_library() if has_index(Path(self._library_path)) else None

    def _open_library(self) -> Library:
        from ...facade.library import Library

        if self._library is None:
            self._library = self._stack.enter_context(
                Library.open(self._library_path, create=False, runtime=self._runtime)
            )
        return self._library
