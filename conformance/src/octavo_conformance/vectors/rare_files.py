"""Fresh office documents, mails, archives and PDF files with what only some of them have."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from typing import Any
from xml.sax.saxutils import escape

from ..pdf_writer import PdfFile, PdfPage
from .archives import ZIP_TYPE, File, truth_of
from .golden import HEADER_WORDS
from .model import words_of
from .office_bytes import docx, pptx, word_run, xlsx
from .package_changes import changed
from .truths import OFFICE, Truth, stated, with_stated
from .words import Words

_SENT = "2026-01-01T10:00:00+00:00"


def _cell(*texts: str, span: str = "") -> str:
    return f"<w:tc><w:tcPr>{span}</w:tcPr>{''.join(f'<w:p>{word_run(text)}</w:p>' for text in texts)}</w:tc>"


def _docx(words: Words) -> Truth:
    w, line, n = words.word, words.line, words.dice.randint
    parts: list[tuple[str, str]] = []

    def add(form: str, *texts: str) -> None:
        parts.append((form.format(*map(word_run, texts)), "".join(texts)))

    add("<w:p>{}</w:p>", line(8))
    add('<w:p>{}<w:smartTag w:element="place">{}</w:smartTag>{}</w:p>', f"{w()} ", w(), f" {w()}")
    add(
        '<w:p>{}<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> DOCPROPERTY x </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>{}<w:r><w:fldChar w:fldCharType="end"/></w:r>{}</w:p>',
        f"{w()} ", w(), f" {w()}",
    )  # fmt: skip
    add("<w:p>{}<w:sdt><w:sdtPr/><w:sdtContent>{}</w:sdtContent></w:sdt>{}</w:p>", f"{w()} ", w(), f" {w()}")
    add('<w:p>{}<w:proofErr w:type="spellStart"/>{}<w:proofErr w:type="spellEnd"/>{}</w:p>', w(), w(), w())
    add("<w:p/><w:p>{}</w:p><w:p/>", line(5))
    # Words between which there is nothing but the end of a line, a tab or a sign.
    apart = [w() for _ in range(7)]
    between = ("<w:br/>", "<w:tab/>", "<w:noBreakHyphen/>", "<w:tab/><w:tab/>", "<w:br/><w:br/>", "<w:tab/><w:br/>")
    inside = "".join(f"{sign}<w:t>{text}</w:t>" for sign, text in zip(("", *between), apart, strict=True))
    parts.append((f"<w:p><w:r>{inside}</w:r></w:p>", " ".join(apart)))
    runs = (f"<w:r><w:t>{apart[0]}</w:t></w:r>", "<w:r><w:br/></w:r>", f"<w:r><w:t>{apart[1]}</w:t><w:tab/></w:r>")
    parts.append((f"<w:p>{''.join(runs)}{word_run(apart[2])}</w:p>", " ".join(apart[:3])))
    rows = [(w(), w(), w()), (w(), f"{n(10, 99)}", w())]
    first, second = w(), w()
    merged = _cell(first, second, span='<w:gridSpan w:val="3"/>')
    table = f"<w:tr>{merged}</w:tr>" + "".join(f"<w:tr>{''.join(_cell(text) for text in row)}</w:tr>" for row in rows)
    text = " ".join((first, second, *(one for row in rows for one in row)))
    parts.append((f"<w:tbl><w:tblPr/><w:tblGrid>{'<w:gridCol/>' * 3}</w:tblGrid>{table}</w:tbl>", text))
    add("<w:p>{}</w:p>", f"{w()} {w()} {n(1000, 9999)}")
    body = "".join(xml for xml, _ in parts)
    said = stated(words)
    package = docx(blocks=[("p", "")], title=said["title"], author=said["author"])
    data = changed(package, document=lambda text: text.replace("<w:sectPr/>", f"{body}<w:sectPr/>"))
    return data, "whole", [" ".join(text for _, text in parts)], with_stated({}, said)


def _xlsx(words: Words) -> Truth:
    w, n = words.word, words.dice.randint
    names = [w().capitalize() for _ in range(3)]
    texts = [[[w(), w(), w()] for _ in range(4)] for _ in names]
    for grid in texts:
        grid[1][1] = f"{w()} & {w()} < {n(10, 99)}"
    said = stated(words)
    package = xlsx(sheets={name: [["x"]] for name in names}, merges={}, title=said["title"], author=said["author"])

    def sheet(grid: list[list[str]]) -> Callable[[str], str]:
        rows = []
        for y, row in enumerate(grid, start=1):
            cells = "".join(
                _xlsx_cell(f"{chr(64 + x)}{y}", text, way=(x + y) % 3) for x, text in enumerate(row, start=1)
            )
            rows.append(f'<row r="{y}">{cells}</row>')
        return lambda text: text[: text.index("<sheetData>")] + f"<sheetData>{''.join(rows)}</sheetData></worksheet>"

    # The first sheet of the workbook is not the first file.
    turned = {f"sheet{number}": sheet(grid) for number, grid in zip((3, 1, 2), texts, strict=True)}
    data = changed(package, workbook=_reordered, **turned)
    truth = {"allowed": tuple(names), "tables": tuple(tuple(map(tuple, grid)) for grid in texts), "has_figures": True}
    return data, "sheet", [" ".join(one for row in grid for one in row) for grid in texts], with_stated(truth, said)


def _reordered(text: str) -> str:
    """Let the sheets of a workbook refer to the third, the first and the second file."""
    for number, file in enumerate((3, 1, 2), start=1):
        text = text.replace(f'r:id="rId{number}"', f'r:id="file{file}"')
    return text.replace('r:id="file', 'r:id="rId')


def _xlsx_cell(place: str, text: str, *, way: int) -> str:
    """Write a text as one of runs, as the value of a formula, or as a plain one."""
    half = len(text) // 2
    told = escape(text)
    if way == 0:
        runs = "".join(f'<r><t xml:space="preserve">{escape(part)}</t></r>' for part in (text[:half], text[half:]))
        return f'<c r="{place}" t="inlineStr"><is>{runs}</is></c>'
    if way == 1:
        return f'<c r="{place}" t="str"><f>A1&amp;""</f><v>{told}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{told}</t></is></c>'


def _pptx(words: Words) -> Truth:
    w, line, n = words.word, words.line, words.dice.randint
    slides = [(words.heading(), [line(5), line(4)]) for _ in range(4)]
    said = stated(words)
    package = pptx(slides=slides, title=said["title"], author=said["author"])
    box, boxed, grouped = line(3), line(3), line(3)
    rows = [(w(), w()), (w(), str(n(100, 999)))]
    cells = "".join(
        '<a:tr h="370840">' + "".join(f"<a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody><a:tcPr/></a:tc>" for text in row) + "</a:tr>"
        for row in rows
    )  # fmt: skip
    table = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="20" name="table"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
        '<p:xfrm><a:off x="500000" y="5000000"/><a:ext cx="8000000" cy="800000"/></p:xfrm><a:graphic>'
        '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblPr firstRow="1"/><a:tblGrid>'
        f'<a:gridCol w="4000000"/><a:gridCol w="4000000"/></a:tblGrid>{cells}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>'
    )
    group = (
        '<p:grpSp><p:nvGrpSpPr><p:cNvPr id="21" name="group"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm>'
        '<a:off x="500000" y="5000000"/><a:ext cx="8000000" cy="800000"/><a:chOff x="500000" y="5000000"/>'
        f'<a:chExt cx="8000000" cy="800000"/></a:xfrm></p:grpSpPr>{_text_box(22, grouped)}</p:grpSp>'
    )
    half = len(boxed) // 2
    # Words between which there is nothing but the end of a line, a tab, or a field.
    apart = [w() for _ in range(4)]
    broken = (
        f"{apart[0]}</a:t></a:r><a:br/><a:r><a:t>{apart[1]}\t{apart[2]}</a:t></a:r><a:br/>{_field(apart[3])}<a:r><a:t>"
    )
    title = f"{(cut := slides[0][0].split(' '))[0]}</a:t></a:r><a:br/><a:r><a:t>{cut[1]}"
    lines = f"{_text_box(23, box)}{_text_box(24, boxed[:half], boxed[half:])}{_text_box(25, broken)}"
    data = changed(
        package,
        slide1=lambda text: text.replace(slides[0][0], title).replace("</p:spTree>", f"{lines}</p:spTree>"),
        slide2=lambda text: text.replace("</p:spTree>", f"{table}</p:spTree>"),
        slide3=lambda text: text.replace("</p:spTree>", f"{group}</p:spTree>"),
        # The first slide is not the one of the first file.
        presentation=lambda text: text.replace('r:id="rId1"', 'r:id="rId0"').replace('r:id="rId4"', 'r:id="rId1"').replace('r:id="rId0"', 'r:id="rId4"'),
    )  # fmt: skip
    added = [f"{box} {boxed} {' '.join(apart)}", " ".join(one for row in rows for one in row), grouped, ""]
    pages = [
        f"{' '.join((heading, *body))} {more}".strip() for (heading, body), more in zip(slides, added, strict=True)
    ]
    pages = [pages[3], pages[1], pages[2], pages[0]]
    truth = {"allowed": ("Slide", "1", "2", "3", "4", "table", "group")}
    return data, "slide", pages, with_stated(truth, said)


def _field(text: str) -> str:
    """Return a field of a slide, with the text that it has shown last."""
    return f'<a:fld id="{{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}}" type="datetime1"><a:rPr/><a:t>{text}</a:t></a:fld>'


def _text_box(number: int, *runs: str) -> str:
    told = "".join(f"<a:r><a:t>{run}</a:t></a:r>" for run in runs)
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="box"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm>'
        f'<a:off x="500000" y="{number * 200000}"/><a:ext cx="8000000" cy="200000"/></a:xfrm></p:spPr>'
        f"<p:txBody><a:bodyPr/><a:p>{told}</a:p></p:txBody></p:sp>"
    )


def _eml(words: Words) -> Truth:
    """A mail in two forms, with files whose names and texts are not ASCII, and with texts between and behind the files."""
    w, line, n = words.word, words.line, words.dice.randint
    lines = [
        line(6),
        f"Größe {w()} für {n(10, 99)} €",
        f"{w()} = {w()} =20 {w()}",
        " ".join(words.short() for _ in range(60)),
        line(5),
    ]
    subject = f"Übersicht {words.heading()} – {' '.join(words.word() for _ in range(12))}"
    mail = EmailMessage()
    mail["From"] = "Ada Quay <ada@example.org>"
    mail["To"] = "Ben Pier <ben@example.org>"
    mail["Subject"] = subject
    mail["Date"] = "Thu, 01 Jan 2026 10:00:00 +0000"
    mail["Message-ID"] = "<2@example.org>"
    mail.set_content("\n\n".join(lines) + "\n", charset="iso-8859-15", cte="quoted-printable")
    mail.add_alternative(
        "<html><body>" + "".join(f"<p>{escape(one)}</p>" for one in lines) + "</body></html>",
        subtype="html",
        cte="base64",
    )
    files: list[File] = [
        (f"Größe {w()}.txt", f"{line(4)} çé\n".encode()),
        (f"{w()}.{w()}.txt", f"{line(3)}\n".encode()),
        (f"{w()} {w()} {w()} {w()} {w()} {w()} {w()} {w()}.csv", f"{w()},{n(10, 99)}\n".encode()),
        (f"{w()}.bin", line(3).encode()),
    ]
    for place, (name, data) in enumerate(files):
        mail.add_attachment(
            data,
            maintype="application",
            subtype="octet-stream",
            filename=name,
            disposition="inline" if place == 1 else "attachment",
        )
        if place:
            lines.append(f"{line(4)} çé")
            mail.attach(_further(lines[-1], subtype="html" if place == 2 else "plain"))
    mail.set_boundary("outer-part-of-the-mail")
    for number, part in enumerate(one for one in mail.walk() if one.is_multipart()):
        part.set_boundary(f"part-{number}-of-the-mail")
    inside = truth_of(files)
    allowed = (*HEADER_WORDS, *words_of(subject), "01T10", "0000", "00", "10", *inside["allowed"])
    truth: dict[str, Any] = {"allowed": allowed, "date": _SENT, "attachments": inside["attachments"]}
    return mail.as_bytes(), "whole", [" ".join(lines)], truth


def _further(text: str, *, subtype: str) -> EmailMessage:
    """Return a part of a mail that is neither its first text nor a file: what was written below a picture, the foot of a list."""
    part = EmailMessage()
    part.set_content(f"<p>{escape(text)}</p>\n" if subtype == "html" else f"{text}\n", subtype=subtype, cte="base64")
    del part["MIME-Version"]
    return part


def _zip(words: Words) -> Truth:
    w, line = words.word, words.line
    files: list[File] = [
        (f"{w()}/{w()}/", b""),
        (f"{w()}/Größe – {w()} {w()}.txt", f"{line(4)}\n".encode()),
        (f"{w()}/.{w()}.txt", f"{line(4)}\n".encode()),
        (f"{w()}.TXT", f"{line(4)}\n".encode()),
        (f"{w()}.tar.txt", f"{line(4)}\n".encode()),
        (
            f"{w()}-{words.paragraph(1)[:60].replace('/', '-')}.txt".replace('"', "").replace(":", "").replace("?", ""),
            f"{line(4)}\n".encode(),
        ),
        (f"{w()}/{w()}/{w()}/{w()}/{w()}/{w()}.txt", f"{line(4)}\n".encode()),
    ]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for place, (name, data) in enumerate(files):
            entry = zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0))
            archive.writestr(entry, data, compress_type=zipfile.ZIP_DEFLATED if place % 2 else zipfile.ZIP_STORED)
        archive.comment = b"A comment."
    truth = truth_of(files[1:])
    truth["allowed"] = (*truth["allowed"], *words_of(files[0][0]), "0")
    return out.getvalue(), "whole", [""], truth


def _pdf(words: Words) -> Truth:
    """Pages as programs write them: strings cut for kerning, content in several streams, text in form objects, updates of the matrix."""
    line = words.line
    first, second, third, kerned = line(6), line(6), line(6), line(5)
    cut = [kerned[at : at + 3] for at in range(0, len(kerned), 3)]
    array = " ".join(f"({part}) {words.dice.randint(-12, 12)}" for part in cut)
    form = f"BT /F1 12 Tf 72 600 Td ({second}) Tj ET"
    reserved = [
        f"<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Length {len(form)} >>\nstream\n{form}\nendstream".encode()
    ]
    pages = [
        PdfPage(
            f"BT /F1 12 Tf 72 700 Td ({first}) Tj ET q /Form1 Do Q".encode(), resources="/XObject << /Form1 4 0 R >>"
        ),
        PdfPage(f"BT /F1 12 Tf 1 0 0 1 72 700 Tm [{array}] TJ 0 -24 Td ({third}) ' ET".encode()),
        PdfPage(b""),
        PdfPage(f"q 0.5 0 0 0.5 36 100 cm BT /F1 24 Tf 72 1000 Td <{line(5).encode().hex()}> Tj ET Q".encode()),
    ]
    last = bytes.fromhex(pages[3].content.decode().partition("<")[2].partition(">")[0]).decode()
    told = [f"{first} {second}", f"{kerned} {third}", "", last]
    said = stated(words)
    info = {"Title": said["title"], "Author": said["author"]}
    start = words.dice.randint(3, 9)
    ranges = f"0 << /P (A-) /S /D /St {start} >> 2 << /S /A /St 2 >>"
    truth = {"labels": (f"A-{start}", f"A-{start + 1}", "B", "C")}
    file = PdfFile(pages, info=info, catalog=f"/PageLabels << /Nums [{ranges}] >>")
    return file.to_bytes(reserved=reserved), "page", told, with_stated(truth, said)


RARE_FILES: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "docx/rare.docx": (f"{OFFICE}.wordprocessingml.document", _docx),
    "eml/rare.eml": ("message/rfc822", _eml),
    "pdf/rare.pdf": ("application/pdf", _pdf),
    "pptx/rare.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "xlsx/rare.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
    "zip/rare.zip": (ZIP_TYPE, _zip),
}
"""Path → media type, and the function that makes the document."""
