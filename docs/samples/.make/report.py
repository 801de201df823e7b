"""The annual report: a PDF of three pages with headings, a table, an outline and page labels i, 1, 2."""

from __future__ import annotations

import io

from reportlab.lib.colors import Color, black
from reportlab.lib.enums import TA_CENTER
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

_BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10.5, leading=15, spaceAfter=7)
_TITLE = ParagraphStyle("title", _BODY, fontName="Helvetica-Bold", fontSize=26, leading=32, alignment=TA_CENTER)
_SUBTITLE = ParagraphStyle("subtitle", _BODY, fontSize=14, leading=20, alignment=TA_CENTER)
_CHAPTER = ParagraphStyle("chapter", _BODY, fontName="Helvetica-Bold", fontSize=18, leading=24, spaceAfter=8)
_SECTION = ParagraphStyle("section", _BODY, fontName="Helvetica-Bold", fontSize=13, leading=18, spaceBefore=6)
_ITEM = ParagraphStyle("item", _BODY, leftIndent=14, bulletIndent=2, spaceAfter=3)

_MONTHS = [
    ("Month", "Water (°C)", "Highest surge (m)", "Seals counted"),
    ("September 2025", "14.8", "0.31", "212"),
    ("October 2025", "13.2", "0.58", "240"),
    ("November 2025", "11.4", "1.24", "198"),
    ("December 2025", "9.6", "0.77", "175"),
    ("January 2026", "7.9", "0.69", "160"),
    ("February 2026", "7.1", "0.52", "171"),
]


# What reportlab writes when told to be invariant, and the date of the report, which is as long.
_NO_DATE, _DATE = b"D:20000101000000+00'00'", b"D:20260401090000+00'00'"


class _Heading(Paragraph):
    """A heading that also stands in the outline."""

    def __init__(self, text: str, style: ParagraphStyle, *, level: int) -> None:
        super().__init__(text, style)
        self._text, self._level = text, level

    def draw(self) -> None:
        """Draw it and mark its place."""
        key = self._text.lower().replace(" ", "-")
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(self._text, key, level=self._level)
        super().draw()


def _cover() -> list[Flowable]:
    return [
        Spacer(1, 60 * mm),
        Paragraph("Brannoch Head Coastal Observatory", _TITLE),
        Spacer(1, 6 * mm),
        Paragraph("Annual report 2025–2026", _SUBTITLE),
        Spacer(1, 40 * mm),
        _Heading("In brief", _SECTION, level=0),
        Paragraph(
            "The storm of 14 November 2025 raised the highest surge since the gauge was first read in 2009: 1.24 metres "
            "above the predicted tide. Nobody was hurt. One of our two gauges stood still for six hours.",
            _BODY,
        ),
        Paragraph(
            "The water was 0.4 °C warmer than the mean of the last ten years, and the colony of harbour seals grew to "
            "240 animals in October.",
            _BODY,
        ),
        PageBreak(),
    ]


def _year() -> list[Flowable]:
    grid = Table(_MONTHS, colWidths=[45 * mm, 30 * mm, 40 * mm, 35 * mm], hAlign="LEFT")
    line = Color(0.4, 0.4, 0.4)
    grid.setStyle(
        TableStyle(
            [
                ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 9.5),
                ("FONT", (0, 1), (-1, -1), "Helvetica", 9.5),
                ("GRID", (0, 0), (-1, -1), 0.5, line),
                ("ALIGN", (1, 1), (-1, -1), "RIGHT"),
            ]
        )
    )
    return [
        _Heading("The year in the water", _CHAPTER, level=0),
        Paragraph(
            "Six months of readings are complete. They come from the thermometer chain at station B, from both tide "
            "gauges, and from the camera that looks over the skerries.",
            _BODY,
        ),
        Paragraph("Table 1. Monthly readings, September 2025 to February 2026", _BODY),
        grid,
        Spacer(1, 5 * mm),
        _Heading("The November surge", _SECTION, level=1),
        Paragraph(
            "A low of 962 hPa crossed the bay in the late afternoon of 14 November. The coast guard had forecast a surge "
            "of 1.1 metres; gauge 2 measured 1.24 metres at 18:40 UTC. Low pressure accounts for about half a metre of "
            "it, the wind for the rest.",
            _BODY,
        ),
        Paragraph(
            "Gauge 1, the float in the harbour well, stood still from 17:05 to 23:10 UTC: weed had blocked the inlet. "
            "The six hours were filled from gauge 2, less its known offset of 3.2 cm.",
            _BODY,
        ),
        _Heading("Seals", _SECTION, level=1),
        Paragraph(
            "Seals are counted from pictures taken at low water. The November count is low because the camera lost four "
            "days to salt on its window; it is a lower bound.",
            _BODY,
        ),
        PageBreak(),
    ]


def _outlook() -> list[Flowable]:
    works = [
        "The inlet of the harbour well was fitted with a wider grille in December.",
        "The wave buoy was brought in before the storm and is waiting for a new mooring.",
        "The camera's window is now heated, and washed with fresh water once a day.",
    ]
    costs = [("", "Planned (€)", "Spent (€)"), ("Gauges", "4,000", "5,350"), ("Boats", "7,500", "6,920")]
    costs.append(("Open day", "1,200", "1,185"))
    grid = Table(costs, colWidths=[45 * mm, 35 * mm, 35 * mm], hAlign="LEFT")
    grid.setStyle(
        TableStyle(
            [
                ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 9.5),
                ("FONT", (0, 1), (-1, -1), "Helvetica", 9.5),
                ("LINEBELOW", (0, 0), (-1, 0), 0.8, black),
                ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
            ]
        )
    )
    return [
        _Heading("Instruments and accounts", _CHAPTER, level=0),
        _Heading("What was mended", _SECTION, level=1),
        *(Paragraph(text, _ITEM, bulletText="•") for text in works),
        _Heading("What it cost", _SECTION, level=1),
        Paragraph("Table 2. Costs of the year", _BODY),
        grid,
        Spacer(1, 5 * mm),
        _Heading("What comes next", _SECTION, level=1),
        Paragraph(
            "In the coming year both gauges will be levelled against the bench mark on the church tower, and the buoy "
            "will go back to sea. The open day on 6 June 2026 is for everybody who wonders where the water comes from.",
            _BODY,
        ),
        Paragraph("Ines Halloran, Director", _BODY),
    ]


def annual_report() -> bytes:
    """The report. The cover is page i, the two that follow are 1 and 2."""
    target = io.BytesIO()

    def cover(canvas: Canvas, _: SimpleDocTemplate) -> None:
        canvas.addPageLabel(0, style="ROMAN_LOWER", start=1)
        canvas.addPageLabel(1, style="ARABIC", start=1)

    def furniture(canvas: Canvas, _: SimpleDocTemplate) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(25 * mm, 285 * mm, "Brannoch Head Coastal Observatory – annual report 2025–2026")
        canvas.drawCentredString(105 * mm, 12 * mm, str(canvas.getPageNumber() - 1))

    template = SimpleDocTemplate(
        target,
        pagesize=A4,
        leftMargin=25 * mm,
        rightMargin=25 * mm,
        topMargin=25 * mm,
        bottomMargin=25 * mm,
        title="Annual report 2025–2026",
        author="Brannoch Head Coastal Observatory",
        subject="Tides, surges and seals",
        creator="docs/samples/make.py",
        lang="en-GB",
        invariant=1,
    )
    template.build([*_cover(), *_year(), *_outlook()], onFirstPage=cover, onLaterPages=furniture)
    return target.getvalue().replace(_NO_DATE, _DATE)
