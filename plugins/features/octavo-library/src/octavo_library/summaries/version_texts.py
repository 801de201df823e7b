"""What a summary is made of: the texts and the metadata of one version, the same for every policy context."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from octavo_contracts import DocumentMetadata, PageAnchorMap
from octavo_text.canonical import CanonicalText

from ..storage.version_files import ANCHORS, CANONICAL, CONVERTED, METADATA, PAGES
from ..storage.version_reader import VersionFiles


@dataclass(frozen=True, kw_only=True)
class VersionTexts:
    """The texts and the metadata of one version.

    Attributes:
        text: the canonical text, with its pages and block boundaries.
        markdown_pages: the markdown of each page; of the whole document if it has no pages.
        metadata: the metadata of the file.
    """

    text: CanonicalText
    markdown_pages: tuple[str, ...]
    metadata: DocumentMetadata


def texts_of(files: VersionFiles) -> VersionTexts:
    """Read the texts of a version.

    Raises:
        LibraryDamaged: a file is missing or altered.
    """
    markdown, facts = files.text(CONVERTED), json.loads(files.text(PAGES))
    archived = CanonicalText.from_archive(files.text(CANONICAL))
    text = replace(archived, breaks=tuple(facts.get("breaks", ())), paginated=bool(facts["paginated"]))
    anchors = PageAnchorMap.model_validate_json(files.text(ANCHORS)).anchors()
    pages = tuple(markdown[one.markdown_start : one.markdown_end] for one in anchors)
    return VersionTexts(
        text=text,
        markdown_pages=pages if len(pages) == len(text.pages) else (markdown,),
        metadata=DocumentMetadata.model_validate(json.loads(files.text(METADATA))["metadata"]),
    )
