"""Converts Word documents: separates hidden text, accepts and lists tracked changes, keeps comments (CNV-6)."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from octavo_contracts import ConversionWarning, HiddenText, SourceCorrupt

from .engine import PLUGIN, run_engine
from .formats import Format
from .office_package import OfficePackage
from .pages import Reading
from .pipe_tables import PIPE_STAND_IN
from .underscores import with_plain_underscores
from .word_charts import take_charts, with_charts
from .word_equations import take_equations, with_equations
from .word_fields import join_addresses, open_wrappers, plain_breaks
from .word_headings import name_headings
from .word_review import Remark, read_comments, run_text, sections, take_changes
from .word_structure import WordStructure
from .word_styles import Styles, W
from .word_tasks import with_tasks

if TYPE_CHECKING:
    from lxml.etree import _Element

_BODY_KINDS = ("footnotes", "endnotes")


def read_word(data: bytes, *, form: Format, media_type: str) -> Reading:
    """Convert a docx or docm.

    The engine shows hidden runs and drops tracked changes and comments. So its parts are put right first: hidden
    runs are taken out and kept apart, changes accepted, equations and pipes of table cells replaced by stand-ins.

    Raises:
        SourceCorrupt, SourceEncrypted, ContentTooLarge: see `OfficePackage`.
    """
    package = OfficePackage(data)
    package.refuse_doctypes()
    mains = package.related("", "officeDocument")
    if len(mains) != 1:
        raise SourceCorrupt(f"the container names {len(mains)} main documents where one is due", plugin=PLUGIN)
    main = mains[0]
    prepared = _Prepared(package, main)
    result = run_engine(prepared.docx(), form=form, media_type=media_type)
    comments = read_comments(package, comment_roots=prepared.comment_roots, body=prepared.roots[main])
    return Reading(
        markdown=with_charts(
            with_equations(
                with_tasks(prepared.structure.restore(with_plain_underscores(result.markdown)))
                + sections(prepared.changes, comments),
                prepared.formulas,
            ),
            prepared.charts,
        ),
        hidden_text=tuple(prepared.hidden),
        metadata=package.core_properties(),
        title=result.title,
        warnings=(*result.warnings, *_warnings(package)),
        has_images=any("/media/" in name for name in package.names()),
    )


class _Prepared:
    """The parts of a document as the engine should see them."""

    def __init__(self, package: OfficePackage, main: str) -> None:
        self._package = package
        self.hidden: list[HiddenText] = []
        self.changes: list[Remark] = []
        self.formulas: list[str] = []
        self.charts: list[str] = []
        styles = Styles(package, main)
        self._styles = {part: package.tree(part) for part in package.related(main, "styles")[:1]}
        lists = [package.tree(part) for part in package.related(main, "numbering")[:1]]
        for root in self._styles.values():
            name_headings(root)
        self.structure = WordStructure(next(iter(self._styles.values()), None), next(iter(lists), None))
        parts = [main, *(part for kind in _BODY_KINDS for part in package.related(main, kind))]
        self.roots = {part: package.tree(part) for part in parts}
        self.comment_roots = [package.tree(part) for part in package.related(main, "comments")]
        for root in (*self.roots.values(), *self.comment_roots):
            open_wrappers(root)
            plain_breaks(root)
            self.hidden += take_hidden(root, styles)
        for part, root in self.roots.items():
            take_charts(root, package, part, self.charts)
            self.changes += take_changes(root)
            take_equations(root, self.formulas)
            join_addresses(root)
            self.structure.mark(root)
            _ready_tables(root)

    def docx(self) -> bytes:
        """The document with these parts."""
        from lxml import etree

        return self._package.rewritten(
            {
                part: etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
                for part, root in (self.roots | self._styles).items()
            }
        )


def take_hidden(root: _Element, styles: Styles) -> list[HiddenText]:
    """Take the runs out that a reader cannot see.

    Args:
        root: root element of a part; changed in place.
        styles: the document's styles.

    Returns:
        Their texts, neighbours of one paragraph together.
    """
    found = []
    for run in list(root.iter(f"{W}r")):
        why = styles.hides(run)
        text = run_text(run) if why else ""
        parent = run.getparent()
        if why and text.strip() and parent is not None:
            found.append((id(next(run.iterancestors(f"{W}p"), None)), why, text))
            parent.remove(run)
    return [
        HiddenText(text="".join(text for _, _, text in group), why=why)
        for (_, why), group in groupby(found, key=lambda item: item[:2])
    ]


def _ready_tables(root: _Element) -> None:
    """Make tables ready for the engine, which knows no row spans and escapes no pipes.

    A cell merged with the one above becomes an empty cell of its own, so that columns stay in line.
    """
    for cell in root.iter(f"{W}tc"):
        merge = cell.find(f"{W}tcPr/{W}vMerge")
        properties = merge.getparent() if merge is not None else None
        if merge is not None and properties is not None:
            properties.remove(merge)
        for node in cell.iter(f"{W}t"):
            if node.text and "|" in node.text:
                node.text = node.text.replace("|", PIPE_STAND_IN)


def _warnings(package: OfficePackage) -> list[ConversionWarning]:
    warnings = []
    if package.has_macros:
        message = "The document carries macros; they were not run."
        warnings.append(ConversionWarning(code="active_content", message=message))
    if any(name.startswith(("word/header", "word/footer")) and name.endswith(".xml") for name in package.names()):
        message = "Headers and footers of the pages are not read."
        warnings.append(ConversionWarning(code="headers_left_out", message=message))
    return warnings
