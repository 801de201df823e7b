"""What a document is called where it is shown: by its title, or by the name of its file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from octavo_contracts import ref_path

if TYPE_CHECKING:
    from .document import Document


def document_name(document: Document) -> str:
    """Its title; else the name of its file; else its id."""
    return document.title or file_name(document)


def file_name(document: Document) -> str:
    """The name of its file, else its name as an attachment, its title or its id."""
    path = last_path(document)
    return path.name if path is not None else attached_name(document) or document.title or document.id


def attached_name(document: Document) -> str | None:
    """Its name in a message or an archive that it came in."""
    return document.context.index.attachments.name_of(document.id, policy=document.policy)


def last_path(document: Document) -> Path | None:
    """Where it was last seen as a file."""
    files = [ref_path(ref) for ref in document.paths if ref.startswith("file:")]
    return next((path for path in reversed(files) if path.name), None)
