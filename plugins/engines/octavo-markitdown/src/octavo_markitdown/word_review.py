"""Tracked changes and comments of a Word document (CNV-6), which the engine drops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .office_package import OfficePackage
from .pipe_tables import escape
from .word_styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

_KINDS: dict[str, Literal["Inserted", "Deleted", "Moved here", "Moved away"]] = {
    f"{W}ins": "Inserted",
    f"{W}del": "Deleted",
    f"{W}moveTo": "Moved here",
    f"{W}moveFrom": "Moved away",
}
_BREAKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A tracked change or a comment.

    Attributes:
        kind: 'Inserted', 'Deleted', 'Moved here', 'Moved away' or 'Comment'.
        author: as the document names them; empty where it does not.
        date: ISO 8601 day; empty where it is not given.
        text: what was changed, or the comment.
        about: the text that the comment is attached to.
    """

    kind: str
    author: str
    date: str
    text: str
    about: str = ""

    def line(self) -> str:
        """The remark as an item of a markdown list."""
        who = ", ".join(escape(part) for part in (self.author, self.date) if part)
        head = f"{self.kind} by {who}" if self.author else f"{self.kind}{f', {who}' if who else ''}"
        about = f" on “{escape(self.about)}”" if self.about else ""
        return f"- {head}{about}: {escape(self.text)}"


def run_text(element: _Element) -> str:
    """Text of a run or of anything around runs, deleted text too."""
    pieces = []
    for node in element.iter():
        if node.tag in (f"{W}t", f"{W}delText"):
            pieces.append(node.text or "")
        elif node.tag in _BREAKS:
            pieces.append(_BREAKS[node.tag])
        elif node.tag == f"{W}p" and pieces:
            pieces.append("\n")
    return "".join(pieces)


def take_changes(root: _Element) -> list[Remark]:
    """List a part's tracked changes, and accept them: what was deleted or moved away goes, the rest stays.

    Args:
        root: root element of the part; changed in place.
    """
    changes = []
    for element in list(root.iter(*_KINDS)):
        text = run_text(element)
        parent = element.getparent()
        if text.strip():
            changes.append(_remark(_KINDS[str(element.tag)], element, text))
        gone = element.tag in (f"{W}del", f"{W}moveFrom")
        if gone and parent is not None and parent.tag not in (f"{W}rPr", f"{W}trPr"):
            parent.remove(element)
    for row in list(root.iter(f"{W}tr")):
        mark = row.find(f"{W}trPr/{W}del")
        parent = row.getparent()
        if mark is not None and parent is not None:
            changes.append(_remark("Deleted", mark, run_text(row)))
            parent.remove(row)
    return changes


def read_comments(package: OfficePackage, *, comment_roots: list[_Element], body: _Element) -> list[Remark]:
    """The comments of a document, in the order of its comment parts.

    Args:
        package: the document, for messages of its parts only.
        comment_roots: roots of the comment parts, hidden text taken out.
        body: root of the main part, which marks what each comment is about.
    """
    abouts = _commented_texts(body)
    return [
        _remark("Comment", comment, run_text(comment), about=abouts.get(comment.get(f"{W}id", ""), ""))
        for root in comment_roots
        for comment in root.iter(f"{W}comment")
        if run_text(comment).strip()
    ]


def _commented_texts(body: _Element) -> dict[str, str]:
    """Comment id → the text between its marks."""
    texts: dict[str, str] = {}
    open_ids: list[str] = []
    for node in body.iter():
        if node.tag == f"{W}commentRangeStart":
            open_ids.append(node.get(f"{W}id", ""))
        elif node.tag == f"{W}commentRangeEnd":
            open_ids = [one for one in open_ids if one != node.get(f"{W}id", "")]
        elif open_ids and node.tag in (f"{W}t", f"{W}p"):
            for one in open_ids:
                texts[one] = texts.get(one, "") + ((node.text or "") if node.tag == f"{W}t" else " ")
    return texts


def _remark(kind: str, element: _Element, text: str, *, about: str = "") -> Remark:
    return Remark(
        kind=kind,
        author=element.get(f"{W}author", ""),
        date=element.get(f"{W}date", "")[:10],
        text=text,
        about=about,
    )


def sections(changes: list[Remark], comments: list[Remark]) -> str:
    """The remarks as two sections that follow the body; '' where there are none."""
    blocks = []
    for heading, remarks in (("Tracked changes", changes), ("Comments", comments)):
        if remarks:
            blocks.append(f"\n\n## {heading}\n\n" + "\n".join(remark.line() for remark in remarks))
    return "".join(blocks)
