"""Writes small, reproducible DOCX, PPTX and XLSX files: stored without compression, with a fixed date."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from xml.sax.saxutils import escape

from ..office_writer import zipped

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_TYPES = "application/vnd.openxmlformats-officedocument"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"

_COLOURS = '<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>'
"""Colours of a master."""

Grid = Sequence[Sequence[str]]


def docx(
    *, blocks: Sequence[tuple[str, Any]], title: str, author: str, padding: str = "", edited: bool = False
) -> bytes:
    """Return a Word document.

    Args:
        blocks: ("h1" to "h3" | "p" | "hidden" | "form" for a content control | "runs" for words in runs of their own |
            "concealed" for a paragraph and "veiled" for a run that a style hides, text),
            ("link", (label, target)), ("linked", (text before, (label, target), text behind)), ("noted", (text, footnote)), ("commented", (text, comment)) or
            ("table", grid) or ("bullet", (depth, text)), in order. "edited" has runs (what is done to it, text) in one paragraph. U+2011 in a paragraph is
            written as the program writes it, as an element.
        title: its title property.
        author: its creator property.
        padding: letters of a part that nothing refers to.
        edited: with the properties that an office program gives a file on which a person worked.
    """
    links: list[str] = []
    notes: list[str] = []
    comments: list[str] = []
    body = "".join(_word_block(kind, content, links, notes, comments) for kind, content in blocks)
    levels = range(1, 4) if any(kind in ("h2", "h3") for kind, _ in blocks) else range(1, 2)
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr></w:style>'
        for level in levels
    )
    styles += "".join(_HIDING[kind] for kind in _HIDING if any(kind == one for one, _ in blocks))
    styles = f'{_HEAD}<w:styles xmlns:w="{_W}">{styles}</w:styles>'
    parts = {"/word/document.xml": "wordprocessingml.document.main", "/word/styles.xml": "wordprocessingml.styles"}
    relations = [("styles", "styles.xml")]
    if notes:
        parts["/word/footnotes.xml"] = "wordprocessingml.footnotes"
        relations.append(("footnotes", "footnotes.xml"))
    if comments:
        parts["/word/comments.xml"] = "wordprocessingml.comments"
        relations.append(("comments", "comments.xml"))
    is_listed = any(kind == "bullet" for kind, _ in blocks)
    if is_listed:
        parts["/word/numbering.xml"] = "wordprocessingml.numbering"
        relations.append(("numbering", "numbering.xml"))
    names = f'xmlns:w="{_W}" xmlns:r="{_OFFICE}/relationships"' if links else f'xmlns:w="{_W}"'
    return zipped(
        {
            **_package("word/document.xml", parts),
            "docProps/core.xml": _core(title, author),
            "word/document.xml": f"{_HEAD}<w:document {names}><w:body>{body}<w:sectPr/></w:body></w:document>",
            "word/styles.xml": styles,
            "word/_rels/document.xml.rels": _relations(relations, links),
            **({"word/footnotes.xml": footnotes_of(notes)} if notes else {}),
            **({"word/comments.xml": _comments(comments)} if comments else {}),
            **({"word/numbering.xml": _NUMBERING} if is_listed else {}),
            **({"docProps/app.xml": _APP} if edited else {}),
            **_unused(padding),
        },
        compress=False,
    )


_APP = (
    f'{_HEAD}<Properties xmlns="{_OFFICE}/extended-properties"><TotalTime>47</TotalTime><Words>812</Words>'
    "<Application>Microsoft Office Word</Application><AppVersion>16.0000</AppVersion></Properties>"
)


_NUMBERING = (
    f'{_HEAD}<w:numbering xmlns:w="{_W}"><w:abstractNum w:abstractNumId="0">'
    + "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="\u2022"/></w:lvl>'
        for depth in range(9)
    )
    + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
)
"""Lists with bullets."""

_HIDING = {
    "concealed": '<w:style w:type="paragraph" w:styleId="Concealed"><w:name w:val="Concealed"/><w:rPr><w:vanish/></w:rPr></w:style>',
    "veiled": '<w:style w:type="character" w:styleId="Veiled"><w:name w:val="Veiled"/><w:rPr><w:vanish/></w:rPr></w:style>',
}
"""Styles that hide text, by the kind of the block that has them."""


def word_run(text: str, *, element: str = "t") -> str:
    """Return a run of a Word document with nothing but a text; `element`: `delText` for a text that was deleted."""
    return f'<w:r><w:{element} xml:space="preserve">{escape(text)}</w:{element}></w:r>'


def footnotes_of(notes: Sequence[str]) -> str:
    """Return the part of a Word document that has the footnotes, numbered from 1."""
    separators = "".join(
        f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{element}/></w:r></w:p></w:footnote>'
        for kind, number, element in (
            ("separator", -1, "separator"),
            ("continuationSeparator", 0, "continuationSeparator"),
        )
    )
    written = "".join(
        f'<w:footnote w:id="{number}"><w:p><w:r><w:footnoteRef/></w:r>{word_run(f" {note}")}</w:p></w:footnote>'
        for number, note in enumerate(notes, start=1)
    )
    return f'{_HEAD}<w:footnotes xmlns:w="{_W}">{separators}{written}</w:footnotes>'


def _comments(texts: Sequence[str]) -> str:
    """Return the part of a Word document that has the comments, numbered from 1."""
    written = "".join(
        f'<w:comment w:id="{number}" w:author="Ada Quay" w:date="2026-01-01T10:00:00Z"><w:p>{word_run(text)}</w:p></w:comment>'
        for number, text in enumerate(texts, start=1)
    )
    return f'{_HEAD}<w:comments xmlns:w="{_W}">{written}</w:comments>'


def _word_block(kind: str, content: Any, links: list[str], notes: list[str], comments: list[str]) -> str:
    """Write a block; the target of a link is added to `links`, a footnote to `notes`, and a comment to `comments`."""
    if kind == "commented":
        comments.append(content[1])
        start, end = (f'<w:commentRange{edge} w:id="{len(comments)}"/>' for edge in ("Start", "End"))
        mark = f'<w:r><w:commentReference w:id="{len(comments)}"/></w:r>'
        return f"<w:p>{start}{word_run(content[0])}{end}{mark}</w:p>"
    if kind == "noted":
        notes.append(content[1])
        mark = f'<w:r><w:footnoteReference w:id="{len(notes)}"/></w:r>'
        return f"<w:p>{word_run(content[0])}{mark}</w:p>"
    if kind in ("link", "linked"):
        before, (label, target), behind = content if kind == "linked" else ("", content, "")
        links.append(target)
        link = f'<w:hyperlink r:id="rIdLink{len(links)}"><w:r><w:t>{escape(label)}</w:t></w:r></w:hyperlink>'
        return f"<w:p>{word_run(f'{before} ') if before else ''}{link}{word_run(f' {behind}') if behind else ''}</w:p>"
    if kind == "bullet":
        number = f'<w:numPr><w:ilvl w:val="{content[0]}"/><w:numId w:val="1"/></w:numPr>'
        return _paragraph(content[1], properties=f"<w:pPr>{number}</w:pPr>")
    if kind == "form":
        return f"<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>{_paragraph(content)}</w:sdtContent></w:sdt>"
    if kind == "edited":
        return f"<w:p>{''.join(_edited_run(how, text) for how, text in content)}</w:p>"
    if kind == "runs":
        runs = "".join(
            f'<w:r>{"<w:rPr><w:b/></w:rPr>" if place % 2 else ""}<w:t xml:space="preserve">{escape(word)} </w:t></w:r>'
            for place, word in enumerate(content.split())
        )
        return f"<w:p>{runs}</w:p>"
    if not isinstance(content, str):
        rows = "".join(
            "<w:tr>" + "".join(f"<w:tc><w:tcPr/>{_paragraph(cell)}</w:tc>" for cell in row) + "</w:tr>"
            for row in content
        )
        grid = "<w:gridCol/>" * len(content[0])
        return f"<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>"
    if kind == "concealed":
        return _paragraph(content, properties='<w:pPr><w:pStyle w:val="Concealed"/></w:pPr>')
    if kind == "veiled":
        return _paragraph(content, run='<w:rPr><w:rStyle w:val="Veiled"/></w:rPr>')
    if kind in ("h1", "h2", "h3"):
        return _paragraph(content, properties=f'<w:pPr><w:pStyle w:val="Heading{kind[1]}"/></w:pPr>')
    return _paragraph(content, run="<w:rPr><w:vanish/></w:rPr>" if kind == "hidden" else "")


_RUNS = {
    "plain": "{}",
    "struck": "<w:rPr><w:strike/></w:rPr>{}",
    "small": "<w:rPr><w:smallCaps/></w:rPr>{}",
    "noted": '<w:rPr><w:highlight w:val="yellow"/><w:color w:val="808080"/></w:rPr>{}',
    "break": "<w:br/>{}",
    "tab": "<w:tab/>{}",
}
"""Runs by what is done to their text."""


def _edited_run(how: str, text: str) -> str:
    """Write a run of a paragraph on which people worked."""
    written = f'<w:t xml:space="preserve">{escape(text)}</w:t>'
    run = f"<w:r>{_RUNS.get(how, '{}').format(written)}</w:r>"
    return f'<w:bookmarkStart w:id="902" w:name="b"/>{run}<w:bookmarkEnd w:id="902"/>' if how == "marked" else run


def _paragraph(text: str, *, properties: str = "", run: str = "") -> str:
    hyphen = '</w:t><w:noBreakHyphen/><w:t xml:space="preserve">'
    written = escape(text).replace("\u2011", hyphen)
    return f'<w:p>{properties}<w:r>{run}<w:t xml:space="preserve">{written}</w:t></w:r></w:p>'


def xlsx(
    *,
    sheets: Mapping[str, Grid],
    merges: Mapping[str, Sequence[str]],
    title: str,
    author: str,
    typed: bool = False,
    linked: bool = False,
    shared: Sequence[str] = (),
) -> bytes:
    """Return a workbook of inline strings.

    Args:
        sheets: name → rows; an empty text gives no cell.
        merges: name → merged ranges.
        title: its title property.
        author: its creator property.
        typed: write plain numbers as numbers.
        linked: let the parts of the sheets name relationships, for links.
        shared: texts that cells may refer to by their place.
    """
    parts = {f"/xl/worksheets/sheet{n}.xml": "spreadsheetml.worksheet" for n in range(1, len(sheets) + 1)}
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(sheets, start=1)
    )
    relations = [("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)]
    if shared:
        parts["/xl/sharedStrings.xml"] = "spreadsheetml.sharedStrings"
        relations.append(("sharedStrings", "sharedStrings.xml"))
    files: dict[str, bytes | str] = {
        **_package("xl/workbook.xml", {"/xl/workbook.xml": "spreadsheetml.sheet.main", **parts}),
        "docProps/core.xml": _core(title, author),
        "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_S}" xmlns:r="{_OFFICE}/relationships"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relations(relations),
    }
    if shared:
        items = "".join(f"<si><t>{escape(text)}</t></si>" for text in shared)
        files["xl/sharedStrings.xml"] = f'{_HEAD}<sst xmlns="{_S}" count="{len(shared)}">{items}</sst>'
    for number, (name, rows) in enumerate(sheets.items(), start=1):
        files[f"xl/worksheets/sheet{number}.xml"] = _sheet(rows, merges.get(name, ()), typed=typed, linked=linked)
    return zipped(files, compress=False)


_NUMBER = re.compile(r"-?[1-9]\d{0,8}(\.\d{0,4}[1-9])?|0(\.\d{0,4}[1-9])?")
"""Numbers that have one form only, however a program computes with them."""


def _sheet(rows: Grid, merges: Sequence[str], *, typed: bool, linked: bool) -> str:
    data = "".join(
        f'<row r="{y}">'
        + "".join(
            (
                f'<c r="{chr(64 + x)}{y}"><v>{cell}</v></c>'
                if typed and _NUMBER.fullmatch(cell)
                else f'<c r="{chr(64 + x)}{y}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
            )
            for x, cell in enumerate(row, start=1)
            if cell
        )
        + "</row>"
        for y, row in enumerate(rows, start=1)
    )
    merged = "".join(f'<mergeCell ref="{ref}"/>' for ref in merges)
    merged = f'<mergeCells count="{len(merges)}">{merged}</mergeCells>' if merges else ""
    names = f'xmlns="{_S}" xmlns:r="{_OFFICE}/relationships"' if linked else f'xmlns="{_S}"'
    return f"{_HEAD}<worksheet {names}><sheetData>{data}</sheetData>{merged}</worksheet>"


def pptx(
    *,
    slides: Sequence[tuple[str, Sequence[str]]],
    title: str,
    author: str,
    padding: str = "",
    notes: Mapping[int, str] = MappingProxyType({}),
    bulleted: Collection[int] = (),
) -> bytes:
    """Return a presentation with title and body placeholders.

    Args:
        slides: title and body lines of each; an empty title without lines gives an empty slide.
        title: its title property.
        author: its creator property.
        padding: letters of a part that nothing refers to.
        notes: number of a slide, from 1 → what its speaker notes say.
        bulleted: numbers of slides whose lines are items of a list.
    """
    count = len(slides)
    types = {f"/ppt/slides/slide{n}.xml": "presentationml.slide" for n in range(1, count + 1)}
    types |= {
        "/ppt/presentation.xml": "presentationml.presentation.main",
        "/ppt/slideMasters/slideMaster1.xml": "presentationml.slideMaster",
        "/ppt/slideLayouts/slideLayout1.xml": "presentationml.slideLayout",
        **{f"/ppt/notesSlides/notesSlide{n}.xml": "presentationml.notesSlide" for n in notes},
        **({"/ppt/notesMasters/notesMaster1.xml": "presentationml.notesMaster"} if notes else {}),
    }
    listed = "".join(f'<p:sldId id="{255 + n}" r:id="rId{n}"/>' for n in range(1, count + 1))
    names = f'xmlns:p="{_P}" xmlns:a="{_A}" xmlns:r="{_OFFICE}/relationships"'
    tree = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
    blank = f"<p:cSld><p:spTree>{tree}</p:spTree></p:cSld>"
    master = f'<p:notesMasterIdLst><p:notesMasterId r:id="rId{count + 2}"/></p:notesMasterIdLst>' if notes else ""
    files: dict[str, bytes | str] = {
        **_package("ppt/presentation.xml", types),
        "docProps/core.xml": _core(title, author),
        "ppt/presentation.xml": f'{_HEAD}<p:presentation {names}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId{count + 1}"/></p:sldMasterIdLst>{master}<p:sldIdLst>{listed}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": _relations(
            [
                *(("slide", f"slides/slide{n}.xml") for n in range(1, count + 1)),
                ("slideMaster", "slideMasters/slideMaster1.xml"),
                *((("notesMaster", "notesMasters/notesMaster1.xml"),) if notes else ()),
            ]
        ),
        "ppt/slideMasters/slideMaster1.xml": f'{_HEAD}<p:sldMaster {names}>{blank}{_COLOURS}<p:sldLayoutIdLst><p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst></p:sldMaster>',
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": _relations(
            [("slideLayout", "../slideLayouts/slideLayout1.xml")]
        ),
        "ppt/slideLayouts/slideLayout1.xml": f"{_HEAD}<p:sldLayout {names}>{blank}</p:sldLayout>",
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": _relations(
            [("slideMaster", "../slideMasters/slideMaster1.xml")]
        ),
    }
    for number, (heading, lines) in enumerate(slides, start=1):
        shapes = _shape(2, "title", [heading]) if heading else ""
        shapes += _shape(3, "body", lines, mark=_BULLET if number in bulleted else "") if lines else ""
        files[f"ppt/slides/slide{number}.xml"] = (
            f"{_HEAD}<p:sld {names}><p:cSld><p:spTree>{tree}{shapes}</p:spTree></p:cSld></p:sld>"
        )
        noted = [("notesSlide", f"../notesSlides/notesSlide{number}.xml")] if number in notes else []
        files[f"ppt/slides/_rels/slide{number}.xml.rels"] = _relations(
            [("slideLayout", "../slideLayouts/slideLayout1.xml"), *noted]
        )
    for number, text in notes.items():
        spoken = _shape(3, "body", [text])
        files[f"ppt/notesSlides/notesSlide{number}.xml"] = (
            f"{_HEAD}<p:notes {names}><p:cSld><p:spTree>{tree}{spoken}</p:spTree></p:cSld></p:notes>"
        )
        files[f"ppt/notesSlides/_rels/notesSlide{number}.xml.rels"] = _relations(
            [("notesMaster", "../notesMasters/notesMaster1.xml"), ("slide", f"../slides/slide{number}.xml")]
        )
    if notes:
        files["ppt/notesMasters/notesMaster1.xml"] = f"{_HEAD}<p:notesMaster {names}>{blank}{_COLOURS}</p:notesMaster>"
    return zipped(files | _unused(padding), compress=False)


def _unused(padding: str) -> dict[str, bytes | str]:
    return {"customXml/item1.xml": f"{_HEAD}<unused>{padding}</unused>"} if padding else {}


_BULLET = '<a:pPr marL="342900" indent="-342900"><a:buChar char="•"/></a:pPr>'


def _shape(number: int, kind: str, lines: Sequence[str], *, mark: str = "") -> str:
    text = "".join(f"<a:p>{mark}<a:r><a:t>{escape(line)}</a:t></a:r></a:p>" for line in lines)
    place = f'<a:xfrm><a:off x="500000" y="{number * 900000}"/><a:ext cx="8000000" cy="800000"/></a:xfrm>'
    index = "" if kind == "title" else ' idx="1"'
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{kind}"/><p:cNvSpPr/><p:nvPr><p:ph type="{kind}"{index}/></p:nvPr>'
        f"</p:nvSpPr><p:spPr>{place}</p:spPr><p:txBody><a:bodyPr/>{text}</p:txBody></p:sp>"
    )


def _package(main: str, types: Mapping[str, str]) -> dict[str, bytes | str]:
    overrides = "".join(
        f'<Override PartName="{part}" ContentType="{_TYPES}.{kind}+xml"/>' for part, kind in types.items()
    )
    return {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>{overrides}</Types>',
        "_rels/.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" Type="{_OFFICE}/relationships/officeDocument" Target="{main}"/><Relationship Id="rId2" Type="{_PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>',
    }


def _relations(targets: Sequence[tuple[str, str]], links: Sequence[str] = ()) -> str:
    listed = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/relationships/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, start=1)
    )
    listed += "".join(
        f'<Relationship Id="rIdLink{n}" Type="{_OFFICE}/relationships/hyperlink" Target="{escape(target)}" TargetMode="External"/>'
        for n, target in enumerate(links, start=1)
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _core(title: str, author: str) -> str:
    return (
        f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>{escape(author)}</dc:creator></cp:coreProperties>"
    )
