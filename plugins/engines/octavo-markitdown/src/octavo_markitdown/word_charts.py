"""Charts of Word documents, which the engine drops: their titles and values as small tables (CNV-6)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from octavo_contracts.authoring.charts import CX, C, read_chart

from .office_package import OfficePackage
from .word_styles import W

if TYPE_CHECKING:
    from lxml.etree import _Element

_START, _END = "\ue090", "\ue091"
_MARK = re.compile(f"[*_ ]*{_START}(\\d{{1,6}}){_END}[*_ ]*")
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def take_charts(root: _Element, package: OfficePackage, part: str, found: list[str]) -> None:
    """Put a paragraph with a stand-in behind each paragraph that holds a chart.

    Args:
        root: root element of a part; changed in place.
        package: the container.
        part: name of the part.
        found: the charts as markdown so far; a chart's stand-in is its place in the list.
    """
    references = list(root.iter(f"{C}chart", f"{CX}chart"))
    targets = package.targets(part) if references else {}
    for reference in reversed(references):
        target = targets.get(reference.get(_ID, ""), "")
        host = next(reference.iterancestors(f"{W}p"), None)
        if not target or host is None or next(reference.iterancestors(_FALLBACK), None) is not None:
            continue
        while (outer := next(host.iterancestors(f"{W}p"), None)) is not None:
            host = outer
        paragraph = host.makeelement(f"{W}p", {}, None)
        run = paragraph.makeelement(f"{W}r", {}, None)
        text = run.makeelement(f"{W}t", {}, None)
        text.text = f"{_START}{len(found)}{_END}"
        run.append(text)
        paragraph.append(run)
        host.addnext(paragraph)
        in_cell = next(host.iterancestors(f"{W}tc"), None) is not None
        blocks = read_chart(package.tree(target)).markdown()
        found.append(blocks[0] if in_cell else "\n\n".join(blocks))


def with_charts(markdown: str, charts: list[str]) -> str:
    """Return the markdown with the charts in the places of their stand-ins."""
    return _MARK.sub(lambda mark: charts[int(mark[1])] if int(mark[1]) < len(charts) else "", markdown)
