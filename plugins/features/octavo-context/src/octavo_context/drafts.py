"""Drafts: the forms in which a document can be sent, from the chosen tier down to the shortest form (CTX-1, CTX-7)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .blocks import Block, FileBlock, TextBlock
from .context_block import Notice
from .header_text import page_list
from .layouts import (
    Layout,
    Piece,
    index_text,
    page_piece,
    passage_piece,
    summary_text,
    targeted_text,
    whole_text,
)
from .material import Material
from .models import ModelCapabilities
from .tiers import Tier
from .tokens import count_tokens

NATIVE = "native"
"""Content key of the native form, hashed together with the document's hash."""
BLOCK_TOKENS = 8
"""Approximate token overhead of one content block."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """One form of a document.

    Attributes:
        tier: 1, 2 or 3.
        tokens: tokens of all blocks.
        pages: included pages, or 'all'.
        content: key of the content; equal keys mean equal content.
        make: builds the blocks; reads the original if the form needs it.
        method: extraction method; 'native' for the file itself.
        notices: notices about this form.
        form: name of the form, for messages.
    """

    tier: Tier
    tokens: int
    pages: tuple[int, ...] | Literal["all"]
    content: str
    make: Callable[[], tuple[Block, ...]]
    method: str
    notices: tuple[Notice, ...] = ()
    form: str

    def content_hash(self, material: Material) -> str:
        """SHA-256 of the content and its conversion version; a reconversion changes the hash."""
        return _hash(material, self.tier, self.content)


def native_hash(material: Material) -> str:
    """The `Draft.content_hash` of the file itself."""
    return _hash(material, 1, NATIVE)


def whole_hash(material: Material) -> str:
    """The `Draft.content_hash` of the full text."""
    return _hash(material, 2, _text_hash(_whole(material).text))


def _whole(material: Material) -> Layout:
    """The layout of the whole text, cached per document."""
    if whole_text not in material.made:
        material.made[whole_text] = whole_text(material)
    found: Layout = material.made[whole_text]
    return found


def _hash(material: Material, tier: int, content: str) -> str:
    key = f"{tier}|{material.document.raw_hash}|{material.document.active_version}|{content}"
    return hashlib.sha256(key.encode()).hexdigest()


def _text_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class DraftMaker:
    """Builds the drafts of one document for one model.

    Args:
        material: the document.
        model: the model.
    """

    def __init__(self, material: Material, model: ModelCapabilities) -> None:
        self.material = material
        self.model = model

    # -- single forms ----------------------------------------------------------------------------------------

    @property
    def native_tokens(self) -> int:
        """Tokens of the file sent as it is."""
        text = self.material.text_tokens * self.model.token_factor if self.model.page_text else 0
        return round(text) + self.model.page_image_tokens * max(1, self.material.page_count) + BLOCK_TOKENS

    @property
    def naive_tokens(self) -> int:
        """Tokens of the whole document: of the file if the model reads it, else of the text."""
        if self.material.kind == "pdf" and self.model.native_pdf:
            return self.native_tokens
        if self.material.kind == "image" and self.model.vision:
            return self.model.page_image_tokens + BLOCK_TOKENS
        return round(self.material.text_tokens * self.model.token_factor) + BLOCK_TOKENS

    def native(self, block: Callable[[], FileBlock]) -> Draft:
        """Tier 1: the file itself.

        Args:
            block: returns the file block, with the bytes or the provider's file id.
        """
        tokens = self.naive_tokens if self.material.kind == "image" else self.native_tokens
        return Draft(
            tier=1,
            tokens=tokens,
            pages="all",
            content=NATIVE,
            make=lambda: (block(),),
            method="native",
            form="the file",
        )

    def images(self, pages: Sequence[int], draw: Callable[[], tuple[FileBlock, ...]]) -> Draft:
        """Tier 1 for a model that reads images but no PDF: pages as images.

        Args:
            pages: page numbers, from 1.
            draw: renders the pages.
        """
        notice = Notice(
            kind="page_images",
            message=f"{self.material.title}: the model reads no PDF, so pages {page_list(pages)} are sent as images",
            document_id=self.material.document.id,
        )
        tokens = len(pages) * (self.model.page_image_tokens + BLOCK_TOKENS)
        return Draft(
            tier=1,
            tokens=tokens,
            pages=tuple(pages),
            content=f"images {page_list(pages)}",
            make=draw,
            method="native",
            notices=(notice,),
            form="images of pages",
        )

    def whole(self) -> Draft:
        """Tier 2: the full text."""
        return self._of_layout(_whole(self.material), tier=2, form="the full text")

    def targeted(self, pieces: Sequence[Piece], *, summary: str | None = None, form: str = "single pages") -> Draft:
        """Tier 3."""
        return self._of_layout(targeted_text(self.material, pieces, summary=summary), tier=3, form=form)

    def pieces(self, pages: Sequence[int], passages: Sequence[tuple[int, int]]) -> list[Piece]:
        """Build Tier 3 pieces in the given order: pages, or passages of a document without pages."""
        by_number = {page.number: page for page in self.material.pages}
        found = [page_piece(self.material, by_number[page]) for page in pages if page in by_number]
        return found + [passage_piece(self.material, start, end) for start, end in passages]

    # -- shorter forms --------------------------------------------------------------------------------------

    def shorter_than(self, draft: Draft, pieces: Sequence[Piece], *, budget: int | None = None) -> Iterator[Draft]:
        """Yield shorter forms, each with fewer tokens than the one before.

        Args:
            draft: the chosen form.
            pieces: pieces of Tier 3, most relevant first.
            budget: if given, also yield a form with as many pieces as fit into it.
        """
        last = draft.tokens
        for form in self._forms(draft, pieces, budget):
            if form.tokens < last:
                last = form.tokens
                yield form

    def _forms(self, draft: Draft, pieces: Sequence[Piece], budget: int | None) -> Iterator[Draft]:
        if not self.material.has_text:
            return
        if draft.tier == 1:
            yield self.whole()
        yield self.targeted(pieces)
        if budget is not None and pieces:
            yield from self._fitting(pieces, budget)
        yield self.targeted((), form="the summary alone")
        index = index_text(self.material)
        if index:
            yield self.targeted((), summary=index, form="the index alone")
        short = summary_text(self.material).split("\n\n")[0]
        yield self.targeted((), summary=short, form="the first paragraph of the summary")
        yield self.targeted((), summary="", form="its header alone")

    def _fitting(self, pieces: Sequence[Piece], budget: int) -> Iterator[Draft]:
        """A draft with as many pieces as fit into a budget, most relevant first; its notices name the omitted ones."""
        base = self.targeted(())
        room, kept = budget - base.tokens, list[Piece]()
        for piece in pieces:
            cost = self._count(piece.text) + 2
            if cost <= room:
                kept.append(piece)
                room -= cost
        while kept:
            form = self.targeted(kept)
            if form.tokens <= budget:
                yield replace(form, notices=(*form.notices, *self._left_out(pieces, kept)))
                return
            kept.pop()

    def _left_out(self, pieces: Sequence[Piece], kept: Sequence[Piece]) -> tuple[Notice, ...]:
        gone = [piece for piece in pieces if piece not in kept]
        if not gone:
            return ()
        numbers = [piece.page for piece in gone if piece.page is not None]
        what = f"pages {page_list(numbers)} are" if numbers else f"{len(gone)} passages are"
        return (
            Notice(
                kind="pages_left_out",
                message=f"{self.material.title}: {what} left out, as the budget holds no more",
                document_id=self.material.document.id,
            ),
        )

    def _of_layout(self, layout: Layout, *, tier: Tier, form: str) -> Draft:
        notices: tuple[Notice, ...] = ()
        if layout.rows_left_out:
            notices = (
                Notice(
                    kind="rows_left_out",
                    message=f"{self.material.title}: {layout.rows_left_out:,} rows of its sheets are not shown",
                    document_id=self.material.document.id,
                ),
            )
        everything = tier == 2
        return Draft(
            tier=tier,
            tokens=self._count(layout.text) + BLOCK_TOKENS,
            pages="all" if everything else layout.pages,
            content=_text_hash(layout.text),
            make=lambda: (TextBlock(text=layout.text),),
            method=self.material.method,
            notices=notices,
            form=form,
        )

    def _count(self, text: str) -> int:
        key = (count_tokens, self.model.token_factor, hash(text))
        if key not in self.material.made:
            self.material.made[key] = count_tokens(text, factor=self.model.token_factor)
        found: int = self.material.made[key]
        return found
