"""The staff handbook: a DOCX with headings, lists, a table, a footnote, tracked changes and a comment.

Written part by part, because the libraries that write DOCX know neither footnotes nor tracked changes.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from archive import xml, zip_bytes

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_BULLET, _NUMBER = 1, 2
_CHANGED = 'w:author="Ines Halloran" w:date="2026-01-12T10:00:00Z"'


def _run(text: str, *, bold: bool = False) -> str:
    style = "<w:rPr><w:b/></w:rPr>" if bold else ""
    return f'<w:r>{style}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def _paragraph(*runs: str, style: str = "", numbering: int = 0) -> str:
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if numbering:
        properties += f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{numbering}"/></w:numPr>'
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def _heading(level: int, text: str) -> str:
    return _paragraph(_run(text), style=f"Heading{level}")


def _items(numbering: int, *lines: str) -> str:
    return "".join(_paragraph(_run(line), style="ListParagraph", numbering=numbering) for line in lines)


def _table(*rows: tuple[str, ...]) -> str:
    def cell(text: str, *, bold: bool) -> str:
        return f'<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr>{_paragraph(_run(text, bold=bold))}</w:tc>'

    lines = []
    for number, row in enumerate(rows):
        marked = "<w:trPr><w:tblHeader/></w:trPr>" if number == 0 else ""
        lines.append(f"<w:tr>{marked}{''.join(cell(text, bold=number == 0) for text in row)}</w:tr>")
    grid = '<w:gridCol w:w="3000"/>' * len(rows[0])
    properties = '<w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="0" w:type="auto"/></w:tblPr>'
    return f"<w:tbl>{properties}<w:tblGrid>{grid}</w:tblGrid>{''.join(lines)}</w:tbl>"


_FOOTNOTE = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r>'
_DELETED = f'<w:del w:id="11" {_CHANGED}><w:r><w:delText xml:space="preserve">two</w:delText></w:r></w:del>'
_INSERTED = f'<w:ins w:id="12" {_CHANGED}>{_run("three")}</w:ins>'
_COMMENTED = (
    f'<w:commentRangeStart w:id="0"/>{_run("the red folder")}<w:commentRangeEnd w:id="0"/>'
    '<w:r><w:commentReference w:id="0"/></w:r>'
)


def _document() -> str:
    body = "".join(
        (
            _paragraph(_run("Staff handbook"), style="Title"),
            _paragraph(_run("Brannoch Head Coastal Observatory, edition of January 2026")),
            _heading(1, "Before you go out"),
            _paragraph(
                _run("Nobody goes out on the mole alone, and nobody at all above wind force 8."),
                _FOOTNOTE,
                _run(" Every boat carries "),
                _DELETED,
                _INSERTED,
                _run(" flares, a radio and a dry blanket."),
            ),
            _heading(2, "In this order"),
            _items(
                _NUMBER,
                "Read the tide table and the forecast.",
                "Write your name, boat and hour of return into the log.",
                "Test the radio on channel 72.",
            ),
            _heading(1, "Reading the gauges"),
            _paragraph(
                _run("Both gauges are read at 08:00 and 20:00 UTC. Write the numbers into "), _COMMENTED, _run(".")
            ),
            _items(
                _BULLET,
                "Gauge 1 is the float in the harbour well: read the pointer at eye height.",
                "Gauge 2 is the pressure sensor: note the battery voltage too 🔋.",
                "If they differ by more than 5 cm, call Yusuf Haddad (يوسف حداد).",
            ),
            _heading(2, "Who answers for what"),
            _table(
                ("Name", "Field", "Extension"),
                ("Ines Halloran", "Direction, safety", "10"),
                ("Yusuf Haddad", "Tides and gauges", "14"),
                ("Yūko Aoki (青木 裕子)", "Beach and seals", "17"),
            ),
            _heading(1, "After a storm"),
            _paragraph(_run("Photograph the berm before anybody walks on it; the sea will not make it twice.")),
        )
    )
    page = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440"/></w:sectPr>'
    return xml(f'<w:document xmlns:w="{_W}" xmlns:r="{_LINKS}"><w:body>{body}{page}</w:body></w:document>')


def _styles() -> str:
    def style(name: str, title: str, *, size: int, outline: int | None = None) -> str:
        level = "" if outline is None else f'<w:pPr><w:outlineLvl w:val="{outline}"/></w:pPr>'
        look = f'<w:rPr><w:b/><w:sz w:val="{size}"/></w:rPr>' if size > 22 else ""
        kind = f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{title}"/>'
        return f'{kind}<w:basedOn w:val="Normal"/>{level}{look}</w:style>'

    grid = "".join(
        f'<w:{side} w:val="single" w:sz="4"/>' for side in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    return xml(
        f'<w:styles xmlns:w="{_W}"><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/>'
        '<w:rPr><w:sz w:val="22"/></w:rPr></w:style>'
        + style("Title", "Title", size=56)
        + style("Heading1", "heading 1", size=32, outline=0)
        + style("Heading2", "heading 2", size=26, outline=1)
        + style("ListParagraph", "List Paragraph", size=22)
        + '<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/>'
        f"<w:tblPr><w:tblBorders>{grid}</w:tblBorders></w:tblPr></w:style></w:styles>"
    )


def _numbering() -> str:
    kinds = {_BULLET: ("bullet", "•"), _NUMBER: ("decimal", "%1.")}
    shapes = "".join(
        f'<w:abstractNum w:abstractNumId="{number}"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl></w:abstractNum>'
        for number, (form, text) in kinds.items()
    )
    uses = "".join(f'<w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>' for number in kinds)
    return xml(f'<w:numbering xmlns:w="{_W}">{shapes}{uses}</w:numbering>')


def _notes() -> dict[str, str]:
    footnotes = (
        f'<w:footnotes xmlns:w="{_W}"><w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
        '<w:footnote w:type="continuationSeparator" w:id="1"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>'
        f'<w:footnote w:id="2">{_paragraph(_run("By the anemometer on the roof, not by feel."))}</w:footnote></w:footnotes>'
    )
    comments = (
        f'<w:comments xmlns:w="{_W}"><w:comment w:id="0" w:author="Yusuf Haddad" w:initials="YH" '
        f'w:date="2026-01-13T16:20:00Z">{_paragraph(_run("Should this not be the web form by now?"))}</w:comment></w:comments>'
    )
    return {"word/footnotes.xml": xml(footnotes), "word/comments.xml": xml(comments)}


def _envelope() -> dict[str, str]:
    kinds = {
        "document": "document.main",
        "styles": "styles",
        "numbering": "numbering",
        "footnotes": "footnotes",
        "comments": "comments",
    }
    overrides = "".join(
        f'<Override PartName="/word/{part}.xml" ContentType="{_OFFICE}.{kind}+xml"/>' for part, kind in kinds.items()
    )
    core = "application/vnd.openxmlformats-package.core-properties+xml"
    types = (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}'
        f'<Override PartName="/docProps/core.xml" ContentType="{core}"/></Types>'
    )
    links = (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_LINKS}/officeDocument" Target="word/document.xml"/>'
        f'<Relationship Id="rId2" Type="{_PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>'
        "</Relationships>"
    )
    parts = "".join(
        f'<Relationship Id="rId{number}" Type="{_LINKS}/{part}" Target="{part}.xml"/>'
        for number, part in enumerate((part for part in kinds if part != "document"), start=1)
    )
    return {
        "[Content_Types].xml": xml(types),
        "_rels/.rels": xml(links),
        "word/_rels/document.xml.rels": xml(f'<Relationships xmlns="{_PACKAGE}/relationships">{parts}</Relationships>'),
    }


_CORE = f"""
<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<dc:title>Staff handbook</dc:title><dc:creator>Ines Halloran</dc:creator><dc:language>en-GB</dc:language>
<dcterms:created xsi:type="dcterms:W3CDTF">2026-01-12T09:00:00Z</dcterms:created>
<dcterms:modified xsi:type="dcterms:W3CDTF">2026-01-13T16:20:00Z</dcterms:modified>
</cp:coreProperties>"""


def staff_handbook() -> bytes:
    """The handbook."""
    return zip_bytes(
        {
            **_envelope(),
            "docProps/core.xml": xml(_CORE),
            "word/document.xml": _document(),
            "word/styles.xml": _styles(),
            "word/numbering.xml": _numbering(),
            **_notes(),
        }
    )
