"""Documents of every construct, made with the libraries of each format; each part carries words that stand nowhere else."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from email.message import EmailMessage
from typing import Any

VARIANTS = 3
"""Documents of each construct and format: with one part, two parts, three parts."""

_HTML_HEAD = "<html><head><title>Made page</title></head><body><p>This page was made to see what is kept of it.</p>"


@dataclass(frozen=True, kw_only=True)
class Made:
    """A made document.

    Attributes:
        construct: what its parts are, such as `table` or `link`.
        name: file name; its extension is the format.
        data: its bytes.
        parts: regular expressions that match the markdown once each where the parts are kept with their structure.
    """

    construct: str
    name: str
    data: bytes
    parts: tuple[str, ...]

    @property
    def format(self) -> str:
        """The extension without its dot."""
        return self.name.rpartition(".")[2]


def documents() -> Iterator[Made]:
    """Web pages, Word documents, decks, workbooks and mails, the same in every run."""
    for count in range(1, VARIANTS + 1):
        words = words_of(count)
        yield from _pages(words)
        yield from _word_documents(words)
        yield from _decks(words)
        yield from _workbooks(words)
        yield from _mails(words)


def words_of(count: int) -> list[str]:
    """The words of a document with so many parts."""
    return [f"walrus{count}{number}" for number in range(count)]


def _joined(words: list[str], form: str) -> str:
    return "".join(form.replace("WORD", word) for word in words)


_PAGES: tuple[tuple[str, str, str], ...] = (
    ("heading", "<h2>Head WORD</h2><p>Text below it.</p>", r"(?m)^##+ Head WORD"),
    ("list", "<ul><li>top<ul><li>inner WORD</li></ul></li></ul>", r"(?m)^ +[-*+] +inner WORD"),
    ("list number", "<ol start=7><li>item WORD</li></ol><p>x</p>", r"(?m)^7\. +item WORD"),
    ("link", "<p>See <a href='https://example.org/WORD'>the page</a> now.</p>", r"\[the page\]\(https://example\.org/WORD\)"),
    ("link in table", "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td><div><a href='https://example.org/WORD'>go</a></div></td></tr></table>",
     r"\| *1 *\| *\[go\]\(https://example\.org/WORD\) *\|"),
    ("table", "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>WORD</td></tr></table>", r"(?m)^\|? *1 *\| *WORD *\|?"),
    ("nested table", "<table><tr><th>A</th><th>B</th></tr><tr><td>out</td><td><table><tr><td>in</td><td>WORD</td></tr></table></td></tr></table>",
     r"in\b[^\n]*WORD"),
    ("caption", "<table><caption>Cap WORD</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>", r"Cap WORD"),
    ("superscript", "<p>m<sup>WORD</sup></p>", r"(?:<sup>|\^)WORD"),
    ("quote", "<blockquote><p>Said WORD</p></blockquote><p>x</p>", r"(?m)^> *Said WORD"),
    ("code", "<pre>a = WORD\n  b = 1</pre>", r"(?:```[^`]*|^ {4})a = WORD\n(?: {4})?  b = 1"),
    ("equation", "<p>So <math><mfrac><mi>WORD</mi><mn>2</mn></mfrac></math> it is.</p>", r"frac\{[^}]*WORD"),
    ("figure caption", "<figure><img src='https://example.org/a.png' alt='pic WORD'><figcaption>Below WORD</figcaption></figure>", r"Below WORD"),
    ("image", "<p><img src='https://example.org/a.png' alt='pic WORD'></p>", r"\[(?:Image: )?pic WORD\]"),
    ("sentence", "<p>The sum of <ix:nonfraction name='a'>WORD</ix:nonfraction> pounds.</p>", r"The sum of WORD pounds"),
)  # fmt: skip


def _pages(words: list[str]) -> Iterator[Made]:
    for construct, form, pattern in _PAGES:
        page = f"{_HTML_HEAD}{_joined(words, form)}</body></html>"
        yield Made(
            construct=construct,
            name=f"{construct.replace(' ', '-')}-{len(words)}.html",
            data=page.encode(),
            parts=tuple(pattern.replace("WORD", word) for word in words),
        )


def _word_documents(words: list[str]) -> Iterator[Made]:
    import docx
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml import parse_xml

    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    relations = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    formulas = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'

    def superscript(document: Any, word: str) -> None:
        document.add_paragraph("m").add_run(word).font.superscript = True

    def code(document: Any, word: str) -> None:
        for line in (f"a = {word}", "  b = 1"):
            document.add_paragraph().add_run(line).font.name = "Courier New"
        document.add_paragraph("x")

    def table(document: Any, word: str) -> Any:
        grid = document.add_table(2, 2)
        for place, text in (((0, 0), "A"), ((0, 1), "B"), ((1, 0), "1"), ((1, 1), word)):
            grid.cell(*place).text = text
        document.add_paragraph("x")
        return grid

    def nested(document: Any, word: str) -> None:
        inner = table(document, "").cell(1, 1).add_table(1, 2)
        inner.cell(0, 0).text, inner.cell(0, 1).text = "in", word

    def link(document: Any, word: str) -> None:
        key = document.part.relate_to(f"https://example.org/{word}", RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
        document.add_paragraph("See ")._p.append(
            parse_xml(f'<w:hyperlink {space} {relations} r:id="{key}"><w:r><w:t>the page</w:t></w:r></w:hyperlink>')
        )

    def control(document: Any, word: str) -> None:
        xml = f"<w:sdt {space}><w:sdtContent><w:p><w:r><w:t>Held {word}</w:t></w:r></w:p></w:sdtContent></w:sdt>"
        document.element.body.insert(-1, parse_xml(xml))

    def equation(document: Any, word: str) -> None:
        fraction = f"<m:f><m:num><m:r><m:t>{word}</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
        document.add_paragraph("So ")._p.append(parse_xml(f"<m:oMath {formulas}>{fraction}</m:oMath>"))

    def labelled(document: Any, word: str) -> None:
        lists = document.part.numbering_part.element
        level = '<w:lvl w:ilvl="0"><w:start w:val="2"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%1)"/></w:lvl>'
        lists.insert(0, parse_xml(f'<w:abstractNum {space} w:abstractNumId="77">{level}</w:abstractNum>'))
        key = f"77{word[-1]}"
        lists.append(parse_xml(f'<w:num {space} w:numId="{key}"><w:abstractNumId w:val="77"/></w:num>'))
        properties = f'<w:numPr {space}><w:ilvl w:val="0"/><w:numId w:val="{key}"/></w:numPr>'
        document.add_paragraph(f"item {word}")._p.get_or_add_pPr().append(parse_xml(properties))

    def numbered(document: Any, word: str) -> None:
        labelled(document, word)
        document.paragraphs[-1].runs[0].text = f"Head {word}"
        document.paragraphs[-1].style = document.styles["Heading 2"]

    def field(document: Any, word: str) -> None:
        code = parse_xml(f'<w:fldSimple {space} w:instr=" SEQ Figure "><w:r><w:t>{word}</w:t></w:r></w:fldSimple>')
        document.add_paragraph("Figure ")._p.append(code)

    makers: tuple[tuple[str, Callable[[Any, str], Any], str], ...] = (
        ("list label", labelled, r"\([bcd]\) item WORD"),
        ("heading number", numbered, r"(?m)^## \([bcd]\) Head WORD"),
        ("title", lambda document, word: document.add_heading(f"Head {word}", 0), r"(?m)^# Head WORD"),
        ("heading", lambda document, word: document.add_heading(f"Head {word}", 2), r"(?m)^## Head WORD"),
        ("list", lambda document, word: [document.add_paragraph("top", style="List Bullet"), document.add_paragraph(f"inner {word}", style="List Bullet 2")], r"(?m)^ +[-*+] +inner WORD"),
        ("table", table, r"(?m)^\|? *1 *\| *WORD *\|?"),
        ("nested table", nested, r"in\b[^\n]*WORD"),
        ("link", link, r"\[the page\]\(https://example\.org/WORD\)"),
        ("superscript", superscript, r"(?:<sup>|\^)WORD"),
        ("quote", lambda document, word: document.add_paragraph(f"Said {word}", style="Quote"), r"(?m)^> *Said WORD"),
        ("code", code, r"(?:```[^`]*|^ {4})a = WORD\n(?: {4})?  b = 1"),
        ("caption", lambda document, word: document.add_paragraph(f"Cap {word}", style="Caption"), r"Cap WORD"),
        ("field", field, r"Figure WORD"),
        ("content control", control, r"Held WORD"),
        ("equation", equation, r"frac\{[^}]*WORD"),
    )  # fmt: skip
    for construct, maker, pattern in makers:
        document = docx.Document()
        document.add_paragraph("This document was made to see what is kept of it.")
        for word in words:
            maker(document, word)
        buffer = io.BytesIO()
        document.save(buffer)
        yield Made(
            construct=construct,
            name=f"{construct.replace(' ', '-')}-{len(words)}.docx",
            data=buffer.getvalue(),
            parts=tuple(pattern.replace("WORD", word) for word in words),
        )


def _decks(words: list[str]) -> Iterator[Made]:
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    def bullets(slide: Any, word: str) -> None:
        frame = slide.placeholders[1].text_frame
        frame.text = "top"
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = f"inner {word}", 1

    def link(slide: Any, word: str) -> None:
        run = slide.placeholders[1].text_frame.paragraphs[0].add_run()
        run.text = "the page"
        run.hyperlink.address = f"https://example.org/{word}"

    def table(slide: Any, word: str) -> None:
        grid = slide.shapes.add_table(2, 2, Inches(1), Inches(3), Inches(5), Inches(1)).table
        for place, text in (((0, 0), "A"), ((0, 1), "B"), ((1, 0), "1"), ((1, 1), word)):
            grid.cell(*place).text = text

    def chart(slide: Any, word: str) -> None:
        data = CategoryChartData()
        data.categories = [word, "other"]
        data.add_series("Depth", (4, 5))
        slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(3), Inches(5), Inches(3), data)

    def notes(slide: Any, word: str) -> None:
        slide.notes_slide.notes_text_frame.text = f"Note {word}"

    makers: tuple[tuple[str, Callable[[Any, str], None], str], ...] = (
        ("list", bullets, r"(?m)^ +[-*+] +inner WORD"),
        ("link", link, r"\[the page\]\(https://example\.org/WORD\)"),
        ("table", table, r"(?m)^\|? *1 *\| *WORD *\|?"),
        ("chart", chart, r"(?m)^\|? *WORD *\| *4"),
        ("notes", notes, r"Note WORD"),
        ("heading", lambda slide, word: setattr(slide.shapes.title, "text", f"Head {word}"), r"(?m)^#+ +Head WORD"),
    )
    for construct, maker, pattern in makers:
        deck = Presentation()
        for word in words:
            slide = deck.slides.add_slide(deck.slide_layouts[1])
            slide.shapes.title.text = "Made slide"
            maker(slide, word)
        buffer = io.BytesIO()
        deck.save(buffer)
        yield Made(
            construct=construct,
            name=f"{construct}-{len(words)}.pptx",
            data=buffer.getvalue(),
            parts=tuple(pattern.replace("WORD", word) for word in words),
        )


def _workbooks(words: list[str]) -> Iterator[Made]:
    import openpyxl
    from openpyxl.chart import BarChart, Reference
    from openpyxl.comments import Comment

    def fill(construct: str, sheet: Any, row: int, word: str) -> None:
        sheet.cell(row, 1, word)
        cell = sheet.cell(row, 2)
        if construct == "link":
            cell.value, cell.hyperlink = "the page", f"https://example.org/{word}"
        elif construct == "number format":
            cell.value, cell.number_format = 0.025, "0.0%"
        elif construct == "amount":
            cell.value, cell.number_format = 1234.5, "$#,##0.00"
        elif construct == "date":
            cell.value, cell.number_format = date(2024, 3, 5), "d mmmm yyyy"
        elif construct == "comment":
            cell.value, cell.comment = 7, Comment(f"Noted {word}", "Ann")
        elif construct == "chart":
            cell.value = 7
            chart = BarChart()
            chart.title = f"Drawn {word}"
            chart.add_data(Reference(sheet, min_col=2, min_row=row))
            sheet.add_chart(chart)
        elif construct == "title above table":
            for column, values in enumerate((("Port", "Dover"), ("Depth", 9))):
                sheet.cell(row * 10, 1, f"Title {word}")
                for down, value in enumerate(values, start=1):
                    sheet.cell(row * 10 + down, column + 1, value)
        elif construct == "table":
            cell.value = 7
        elif construct == "empty sheet":
            sheet.parent.create_sheet(f"Bare {word}")

    for construct, pattern in (
        ("table", r"(?m)^\|? *WORD *\| *7"),
        ("link", r"https://example\.org/WORD"),
        ("number format", r"WORD *\| *2\.5 ?%"),
        ("amount", r"WORD *\| *\$1,234\.50"),
        ("date", r"WORD *\| *5 March 2024"),
        ("comment", r"Noted WORD"),
        ("chart", r"Drawn WORD"),
        ("title above table", r"(?m)^\W*Title WORD\W*\n\n\|? *Port *\| *Depth"),
        ("empty sheet", r"Bare WORD"),
    ):
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.append(["Name", "Value"])
        for row, word in enumerate(words, start=2):
            fill(construct, sheet, row, word)
        buffer = io.BytesIO()
        book.save(buffer)
        yield Made(
            construct=construct,
            name=f"{construct.replace(' ', '-')}-{len(words)}.xlsx",
            data=buffer.getvalue(),
            parts=tuple(pattern.replace("WORD", word) for word in words),
        )


def _mails(words: list[str]) -> Iterator[Made]:
    def mail(construct: str) -> EmailMessage:
        message = EmailMessage()
        message["Subject"], message["From"], message["To"] = "Made mail", "a@example.org", "b@example.org"
        message.set_content(
            "The tide table of the harbour is on the page.\n"
            + _joined(words, "> Said WORD\n" if construct == "quote" else "")
        )
        return message

    attached = mail("attachment")
    for word in words:
        attached.add_attachment(b"x", maintype="application", subtype="pdf", filename=f"{word}.pdf")
    linked = mail("link")
    links = _joined(words, "<a href='https://example.org/WORD'>the page</a> ")
    linked.add_alternative(f"<p>The tide table of the harbour is on {links}.</p>", subtype="html")
    for construct, message, pattern in (
        ("attachment", attached, r"WORD\.pdf"),
        ("link", linked, r"https://example\.org/WORD"),
        ("quote", mail("quote"), r"(?m)^> *Said WORD"),
    ):
        yield Made(
            construct=construct,
            name=f"{construct}-{len(words)}.eml",
            data=message.as_bytes(),
            parts=tuple(pattern.replace("WORD", word) for word in words),
        )
