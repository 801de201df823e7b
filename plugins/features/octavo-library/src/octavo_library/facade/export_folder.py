"""Documents written to files of a folder, each in one form: markdown, text, HTML, JSON, chunks, pages, or a zip."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from octavo.conversion import empty_text as emptiness
from octavo.conversion.output_formats import OutputFormat, Rendition
from octavo_contracts import OctavoError, QualityFinding
from octavo_sandbox.filesystem.output_folder import OutputFolder
from octavo_sandbox.filesystem.output_names import output_names, safe_name

from ..observability.audit import AuditAction
from .document import Document
from .document_names import attached_name, file_name, last_path

ZIP = "zip"
"""The form of an archive with everything that is known of a document."""


@dataclass(frozen=True, kw_only=True)
class ExportedFile:
    """The outcome of one document.

    Attributes:
        document: the document.
        shown: what it is called.
        path: the file; None where there is none.
        error: why the document could not be written; None where it could.
        why_empty: why the document has no text; None if it has some. Without a file, it should have some.
        is_unchanged: whether the file had this content already.
    """

    document: Document
    shown: str
    path: Path | None = None
    error: OctavoError | None = None
    why_empty: QualityFinding | None = None
    is_unchanged: bool = False


def export_files(documents: Sequence[Document], folder: OutputFolder, *, form: str) -> Iterator[ExportedFile]:
    """Write documents to a folder, one after the other. One that cannot be written does not stop the others.

    No file is written for a document without text that should have some, such as a scan that was not recognised.

    Files are named after the documents. The tree below the folder that all their paths have in common is kept. Attachments
    stand in a folder with the name of the document that contains them, if that one is written too.

    Args:
        documents: the documents.
        folder: where the files go.
        form: an `OutputFormat`, or `zip`.

    Raises:
        UsageError: there is no such form.
    """
    extension = ".zip" if form == ZIP else OutputFormat(form).extension
    names = output_names(_places(documents), extension)
    for document in documents:
        shown = file_name(document)
        try:
            if is_lacking(document, form):
                yield ExportedFile(document=document, shown=shown, why_empty=document.why_empty)
                continue
            folder.check(names[document.id])
            data = document.archive() if form == ZIP else rendered(document, OutputFormat(form))
            is_new = folder.write(names[document.id], data, sha256=document.raw_hash)
        except OctavoError as error:
            yield ExportedFile(document=document, shown=shown, error=error)
            continue
        document.context.audit.record(
            AuditAction.EXPORTED,
            document_id=document.id,
            version=document.active_version,
            sha256=hashlib.sha256(data).hexdigest(),
        )
        path = folder.path / names[document.id]
        yield ExportedFile(
            document=document, shown=shown, path=path, why_empty=document.why_empty, is_unchanged=not is_new
        )


def is_lacking(document: Document, form: str) -> bool:
    """Whether a file with the text of a document would be empty, though the document should have text.

    Args:
        document: the document.
        form: an `OutputFormat`, or `zip`; JSON and a zip have more than the text.

    Raises:
        LibraryDamaged: files of its version are missing or altered.
    """
    return form not in (ZIP, OutputFormat.JSON) and emptiness.is_lacking(document.why_empty)


def rendered(document: Document, form: OutputFormat) -> bytes:
    """A document in a form, as UTF-8.

    Raises:
        UsageError: it has no content.
        LibraryDamaged: files of its version are missing or altered.
    """
    rendition = Rendition(
        result=document.result,
        markdown=document.markdown,
        text=document.canonical_text,
        source=file_name(document),
    )
    text = rendition.render(form)
    return (text if text.endswith("\n") or not text else f"{text}\n").encode("utf-8", "replace")


def _places(documents: Sequence[Document]) -> dict[str, PurePosixPath]:
    paths = {document.id: path for document in documents if (path := last_path(document)) is not None}
    root = os.path.commonpath([str(path.parent) for path in paths.values()]) if paths else ""
    places = {key: PurePosixPath(path.relative_to(root).as_posix()) for key, path in paths.items()}
    waiting = {document.id: document for document in documents if document.id not in places}
    parents = {key: [one.id for one in document.attached_to] for key, document in waiting.items()}
    while waiting:
        # Outer documents first. A ring of attachments, which a message cannot be in, would leave no outer one.
        outer = [key for key in waiting if not any(one in waiting for one in parents[key])] or [next(iter(waiting))]
        for key in outer:
            document = waiting.pop(key)
            parent = next((one for one in parents[key] if one in places), None)
            folder = places[parent].with_suffix("") if parent is not None else PurePosixPath()
            places[key] = folder / _own_place(document)
    return {document.id: places[document.id] for document in documents}


def _own_place(document: Document) -> PurePosixPath:
    """The name of a document in its folder; of a file in an archive, its path there. Names come from files and are not trusted."""
    name = attached_name(document)
    parts = [part for part in re.split(r"[/\\]", name or "") if part not in ("", ".", "..")] or [file_name(document)]
    return PurePosixPath(*map(safe_name, parts))
