"""The two texts of a version, built from the pages of a conversion, with their anchors, chunks and hashes."""

from __future__ import annotations

from dataclasses import dataclass

from octavo_contracts import Chunk, Conversion, PageAnchor, PageAnchorMap

from .canonical import CanonicalText, canonical_body, hash_texts, join_bodies
from .chunking import DEFAULT_CHUNKING, ChunkingConfig, make_chunks

PAGE_JOINT = "\n\n"
"""Separator between two pages in converted.md."""


@dataclass(frozen=True, kw_only=True)
class Texts:
    """The two texts of a version, and the mapping between them.

    Attributes:
        markdown: converted.md.
        canonical: canonical.txt.
        anchors: map between pages and offsets; empty for a document without pages.
        chunks: the chunk manifest.
        page_hashes: SHA-256 of each page's canonical body.
        chunk_hashes: SHA-256 of each chunk's text.
    """

    markdown: str
    canonical: CanonicalText
    anchors: PageAnchorMap
    chunks: tuple[Chunk, ...]
    page_hashes: tuple[str, ...]
    chunk_hashes: tuple[str, ...]


def join_pages(conversion: Conversion, *, chunking: ChunkingConfig = DEFAULT_CHUNKING) -> Texts:
    """Join the pages of a complete conversion.

    Args:
        conversion: with a text on every page (`octavo_text.completion.complete`).
        chunking: how to cut chunks.

    Raises:
        ValueError: a page has no text.
    """
    bodies = []
    for page in conversion.pages:
        if page.text is None:
            raise ValueError(f"page {page.number} has no text: complete the conversion first")
        bodies.append(canonical_body(page.text))
    canonical = join_bodies(bodies, paginated=conversion.paginated)
    anchors: list[PageAnchor] = []
    offset = 0
    for page, span in zip(conversion.pages, canonical.pages, strict=True):
        if conversion.paginated:
            anchors.append(
                PageAnchor(
                    page=page.number,
                    label=page.label,
                    text_start=span.start,
                    text_end=span.end,
                    markdown_start=offset,
                    markdown_end=offset + len(page.markdown),
                )
            )
        offset += len(page.markdown) + len(PAGE_JOINT)
    anchor_map = PageAnchorMap(tuple(anchors))
    chunks = make_chunks(canonical, anchor_map, chunking)
    return Texts(
        markdown=PAGE_JOINT.join(page.markdown for page in conversion.pages),
        canonical=canonical,
        anchors=anchor_map,
        chunks=chunks,
        page_hashes=hash_texts(body.text for body in bodies),
        chunk_hashes=hash_texts(chunk.span.of(canonical.text) for chunk in chunks),
    )


@dataclass(frozen=True, kw_only=True)
class Refs:
    """References to the artifacts of a version: in a store, or `memory:` without one."""

    original: str
    conversion: str
    markdown: str
    canonical: str
