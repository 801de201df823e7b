"""Fresh office documents with charts and diagrams, whose names and figures stand in parts of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .model import GoldenVector
from .office_bytes import docx, pptx
from .once import generated_once
from .package_changes import with_parts
from .sheaf_bytes import SHEAF, sheaf
from .truths import OFFICE
from .words import Words

_C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD, _DECK = f"{OFFICE}.wordprocessingml.document", f"{OFFICE}.presentationml.presentation"


@generated_once
def make_charts(seed: int, media_types: Sequence[str]) -> list[GoldenVector]:
    """Make for each format a document with a chart; its page has the words of the text, then those of the chart.

    Args:
        seed: the same seed gives the same documents.
        media_types: of the formats.
    """
    words = Words(seed)
    return [make(words) for media_type, make in _MAKERS.items() if media_type in media_types]


def _chart(words: Words) -> tuple[str, list[str]]:
    """Return the part of a bar chart, and its names: of the chart, of the series and of the categories."""
    title, series, names = words.word().capitalize(), words.word().capitalize(), [words.word() for _ in range(4)]
    labels = "".join(f'<c:pt idx="{place}"><c:v>{name}</c:v></c:pt>' for place, name in enumerate(names))
    values = "".join(f'<c:pt idx="{place}"><c:v>{words.dice.randint(100, 999)}</c:v></c:pt>' for place in range(4))
    told = f"<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>{title}</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    row = (
        f'<c:ser><c:idx val="0"/><c:order val="0"/><c:tx><c:strRef><c:f>S!$B$1</c:f><c:strCache><c:ptCount val="1"/><c:pt idx="0">'
        f"<c:v>{series}</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:f>S!$A$2:$A$5</c:f><c:strCache>"
        f'<c:ptCount val="4"/>{labels}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>S!$B$2:$B$5</c:f><c:numCache>'
        f'<c:formatCode>General</c:formatCode><c:ptCount val="4"/>{values}</c:numCache></c:numRef></c:val></c:ser>'
    )
    plot = (
        f'<c:plotArea><c:layout/><c:barChart><c:barDir val="col"/><c:grouping val="clustered"/><c:varyColors val="0"/>{row}'
        '<c:axId val="1"/><c:axId val="2"/></c:barChart><c:catAx><c:axId val="1"/><c:scaling/><c:delete val="0"/><c:axPos val="b"/>'
        '<c:crossAx val="2"/></c:catAx><c:valAx><c:axId val="2"/><c:scaling/><c:delete val="0"/><c:axPos val="l"/>'
        '<c:crossAx val="1"/></c:valAx></c:plotArea>'
    )
    return (
        f'<c:chartSpace xmlns:c="{_C}" xmlns:a="{_A}" xmlns:r="{_R}"><c:chart>{told}{plot}</c:chart></c:chartSpace>',
        [title, series, *names],
    )


_GRAPHIC = f'<a:graphic xmlns:a="{_A}"><a:graphicData uri="{_C}"><c:chart xmlns:c="{_C}" xmlns:r="{_R}" r:id="rIdChart"/></a:graphicData></a:graphic>'
_ON_SLIDE = (
    '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="drawn"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
    f'<p:xfrm><a:off x="500000" y="3000000"/><a:ext cx="6000000" cy="3000000"/></p:xfrm>{_GRAPHIC}</p:graphicFrame></p:spTree>'
)
_IN_TEXT = (
    '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
    f'<wp:extent cx="5000000" cy="3000000"/><wp:docPr id="9" name="drawn"/>{_GRAPHIC}</wp:inline></w:drawing></w:r></w:p><w:sectPr/>'
)


def _pptx(words: Words) -> GoldenVector:
    slides = [(words.heading(), [words.line(5)]) for _ in range(3)]
    chart, names = _chart(words)
    data = with_parts(
        pptx(slides=slides, title="", author=""),
        "ppt/slides/slide2.xml",
        lambda xml: xml.replace("</p:spTree>", _ON_SLIDE),
        {"ppt/charts/chart1.xml": ("rIdChart", "chart", "drawingml.chart", chart)},
    )
    pages = [" ".join((heading, *lines)) for heading, lines in slides]
    pages[1] += f" {' '.join(names)}"
    return _vector("pptx", _DECK, data, pages)


def _docx(words: Words) -> GoldenVector:
    lines = [words.line(9) for _ in range(3)]
    chart, names = _chart(words)
    data = with_parts(
        docx(blocks=[("p", line) for line in lines], title="", author=""),
        "word/document.xml",
        lambda xml: xml.replace("<w:sectPr/>", _IN_TEXT),
        {"word/charts/chart1.xml": ("rIdChart", "chart", "drawingml.chart", chart)},
    )
    return _vector("docx", _WORD, data, [" ".join((*lines, *names))])


def _sheaf(words: Words) -> GoldenVector:
    lines, lost = [words.line(9) for _ in range(3)], words.line(5)
    return _vector(
        "sheaf",
        SHEAF,
        sheaf(pages=[{"blocks": [*(["p", line] for line in lines), ["z", lost]]}]),
        [" ".join((*lines, lost))],
    )


def _vector(family: str, media_type: str, data: bytes, pages: Sequence[str]) -> GoldenVector:
    return GoldenVector.of(
        f"{family}/chart.{family}",
        media_type,
        data,
        about="A document with a chart.",
        kind=None,
        pages=pages,
    )


_MAKERS: dict[str, Callable[[Words], GoldenVector]] = {_WORD: _docx, _DECK: _pptx, SHEAF: _sheaf}
