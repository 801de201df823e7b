"""The draft of a page while it is written."""

from __future__ import annotations

from dataclasses import dataclass, field

from octavo_contracts import Box, HiddenText, Page, PageKind, Table


@dataclass(kw_only=True)
class Draft:
    """What was found on a page so far.

    Attributes:
        number: of the page, from 1.
        label: what the document calls it.
        blocks: its markdown with whether it follows the block before without an empty line, as list items do.
        notes: speaker notes and footnotes, which follow the page's own text.
        comments: comments, as items of a list.
        tables, boxes, hidden: as in `Page`.
        has_images: whether there is a picture.
        is_hidden: whether the document does not show the page.
        width, height: in points, where known.
    """

    number: int
    label: str | None = None
    blocks: list[tuple[str, bool]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    hidden: list[HiddenText] = field(default_factory=list)
    has_images: bool = False
    is_hidden: bool = False
    width: float | None = None
    height: float | None = None

    def add(self, markdown: str, *, tight: bool = False) -> None:
        """Add a block; ignore an empty one."""
        if markdown.strip():
            self.blocks.append((markdown, tight))

    def page(self, kind: PageKind) -> Page:
        """The page of the contract."""
        text, was_tight = "", False
        for markdown, tight in self.blocks:
            text += ("\n" if tight and was_tight else "\n\n") + markdown
            was_tight = tight
        if self.notes:
            label = ["**Notes:**"] if kind == "slide" else []
            text += "".join(f"\n\n{part}" for part in [*label, *self.notes])
        if self.comments:
            text += "\n\n## Comments\n\n" + "\n".join(self.comments)
        text = text.strip("\n")
        return Page(
            number=self.number,
            label=self.label,
            kind=kind,
            markdown=f"{text}\n" if text else "",
            tables=tuple(self.tables),
            boxes=tuple(self.boxes),
            hidden_text=tuple(self.hidden),
            width=self.width,
            height=self.height,
            has_images=self.has_images,
        )
