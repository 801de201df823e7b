"""Reads the fields of a PDF in a killable worker: pdfium is slow on some forms and cannot be interrupted."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from octavo_sandbox.preflight import PdfFile

from . import values
from .appearance import shows
from .drawing import Drawing
from .fields import FilledField, FilledForm, squeezed
from .pdfium_text import TextTooLongError, ask_text, entry
from .visibility import (
    WHITE,
    Box,
    colour_of,
    colours,
    differ,
    is_tiny,
    may_be_seen,
    place_of,
    settle_colour,
    styles_hide,
)

MAX_PAGES = 500
"""Maximum number of pages that are read: each must be loaded."""
MAX_FIELDS = 5000
"""Maximum number of values that are read. On a single page, up to three times as many fields are examined."""
MAX_CHARS = 1_000_000
"""Maximum characters of all names and values: more than in any form that a person filled in."""
MAX_SECONDS = 8.0
"""Time limit for reading; checked between two fields."""
MORE_SECONDS = 4.0
"""Additional time for testing whether the fields that were read are visible."""
MAX_DRAWN = 3_000_000
"""Maximum characters of values rendered on one page; of further values only the colour is tested."""
MAX_PRINTED = 500_000
"""Maximum characters of a page's own text in which values are counted."""
_LATIN = "\u0250"
"""From this character on, pdfium's substitute font may lack glyphs."""

_XFA_FULL = 2
_TEXT_BOX, _FIELD, _COMPRESSED = b"/FreeText", b"/Widget", b"/ObjStm"


def is_xfa(pdf: PdfFile) -> bool:
    """Return whether the pages are drawn from XML."""
    return pdf.document is not None and pdf.form_type == _XFA_FULL


def may_be_filled(pdf: PdfFile) -> bool:
    """Return whether loading each page is worthwhile. Without a form, text boxes in compressed objects are missed."""
    if pdf.document is None:
        return False
    return _TEXT_BOX in pdf.data or (pdf.form_type > 0 and (_FIELD in pdf.data or _COMPRESSED in pdf.data))


def read_form(pdf: PdfFile, *, seconds: float = MAX_SECONDS) -> FilledForm:
    """Read the visible fields and text boxes with a value; count invisible ones.

    Args:
        pdf: the open file; if pdfium could not open it, nothing is found.
        seconds: time after which no further field is read.
    """
    xfa = is_xfa(pdf)
    if not may_be_filled(pdf):
        return FilledForm(is_xfa=xfa)
    reading = _Reading(until=time.monotonic() + seconds)
    looked_at = 0
    with _environment(pdf.document) as form:
        for index in range(min(pdf.page_count, MAX_PAGES)):
            if reading.is_full():
                break
            looked_at += 1
            _read_page(reading, pdf.document, form, index)
    return FilledForm(
        fields=tuple(reading.found),
        unread_pages=pdf.page_count - looked_at,
        unread_fields=reading.unread,
        cut_values=reading.cut,
        unseen=reading.unseen,
        is_xfa=xfa,
    )


@dataclass
class _Reading:
    """State of reading a form.

    Attributes:
        until: deadline by the monotonic clock.
        found: the visible values.
        chars: characters of names and values, including invisible ones.
        unread: fields beyond a limit.
        cut: number of truncated values.
        unseen: page from 1 → number of invisible values.
    """

    until: float
    found: list[FilledField] = field(default_factory=list)
    chars: int = 0
    unread: int = 0
    cut: int = 0
    unseen: dict[int, int] = field(default_factory=dict)

    def is_full(self, waiting: int = 0) -> bool:
        return len(self.found) + waiting >= MAX_FIELDS or self.chars >= MAX_CHARS or time.monotonic() > self.until

    def bounded(self, name: str, value: str) -> tuple[str, str]:
        """Truncate name and value to the remaining limit."""
        name = name[: MAX_CHARS - self.chars]
        room = MAX_CHARS - self.chars - len(name)
        self.cut += len(value) > room
        self.chars += len(name) + len(value[:room])
        return name, value[:room]

    def hide(self, page: int) -> None:
        self.unseen[page] = self.unseen.get(page, 0) + 1


@dataclass
class _Entry:
    """A field or a text box of a page, before its visibility is tested.

    Attributes:
        annotation: pdfium's handle.
        is_field: whether it is a field, not a text box.
        is_tick: whether it is a tick box, whose value is read when the page's fields are loaded.
        may_be_seen: whether its dictionary allows it to be visible.
        name: name of a field.
        value: its value on one line.
        picture: hash of its appearance stream; None if the file leaves the appearance to the viewer.
        is_drawn: whether it is part of the rendered page.
        length: characters of the whole value.
    """

    annotation: Any
    is_field: bool
    is_tick: bool
    box: Box | None
    may_be_seen: bool
    name: str = ""
    value: str = ""
    picture: int | None = None
    is_drawn: bool = True
    length: int = 0


@contextmanager
def _environment(document: Any) -> Iterator[Any]:
    """Open pdfium's form environment, needed to read fields. No script runs: this build has no script engine."""
    import pypdfium2.raw as raw

    settings = raw.FPDF_FORMFILLINFO(version=2)
    form = raw.FPDFDOC_InitFormFillEnvironment(document, settings)
    try:
        yield form
    finally:
        if form:
            raw.FPDFDOC_ExitFormFillEnvironment(form)


def _read_page(reading: _Reading, document: Any, form: Any, index: int) -> None:
    import pypdfium2.raw as raw

    page = raw.FPDF_LoadPage(document, index)
    if not page:
        return  # the converter reports it
    handles: list[Any] = []
    is_loaded = False
    try:
        entries = _entries(reading, page, form, handles)
        if not entries:
            return
        printed = _printed(page)
        raw.FORM_OnAfterLoadPage(page, form)  # creates missing appearances; without this call no box counts as ticked
        is_loaded = True
        filled = [one for one in entries if not one.is_tick or _is_ticked(reading, form, one)]
        drawing = _drawn(page, form, filled)
        for one in filled:
            if len(reading.found) >= MAX_FIELDS or time.monotonic() > reading.until + MORE_SECONDS:
                reading.unread += 1
                continue
            if not (one.may_be_seen and (one.is_tick or _is_shown(form, one, drawing))):
                reading.hide(index + 1)
                continue
            count = printed.count(squeezed(one.value)) if one.value and time.monotonic() < reading.until else 0
            reading.found.append(FilledField(page=index + 1, name=one.name, value=one.value, printed=count))
    finally:
        for annotation in handles:
            raw.FPDFPage_CloseAnnot(annotation)
        if is_loaded:
            raw.FORM_OnBeforeClosePage(page, form)
        raw.FPDF_ClosePage(page)


def _entries(reading: _Reading, page: Any, form: Any, handles: list[Any]) -> list[_Entry]:
    """Collect the fields of a page that may be filled in, with their values. All other annotations are removed.

    Pdfium renders all fields of a page at once, whatever their number, so they are limited beforehand.
    """
    import pypdfium2.raw as raw

    shown = _shown(page)
    entries: list[_Entry] = []
    drawn = filled = 0
    unwanted: list[int] = []
    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        if not annotation:
            unwanted.append(number)
            continue
        handles.append(annotation)
        subtype = raw.FPDFAnnot_GetSubtype(annotation)
        is_field = subtype == raw.FPDF_ANNOT_WIDGET
        if not is_field and subtype != raw.FPDF_ANNOT_FREETEXT:
            unwanted.append(number)
            continue
        if reading.is_full(filled) or len(entries) >= 3 * MAX_FIELDS:
            reading.unread += 1
            unwanted.append(number)
            continue
        try:
            one = _entry(reading, form, annotation, shown, is_field=is_field)
        except TextTooLongError:
            reading.unread += 1
            unwanted.append(number)
            continue
        if not (one.value or one.is_tick):
            unwanted.append(number)
            continue
        entries.append(one)
        filled += bool(one.value)
        one.is_drawn = one.length + drawn <= MAX_DRAWN
        if one.is_drawn:
            drawn += one.length
        else:
            unwanted.append(number)
    for number in reversed(unwanted):
        raw.FPDFPage_RemoveAnnot(page, number)
    return entries


def _entry(reading: _Reading, form: Any, annotation: Any, shown: Box, *, is_field: bool) -> _Entry:
    import pypdfium2.raw as raw

    is_tick = is_field and values.is_tick(form, annotation)
    box = place_of(annotation)
    one = _Entry(annotation, is_field, is_tick, box, may_be_seen(annotation, box, shown))
    if is_tick:
        return one
    value = values.typed(form, annotation) if is_field else values.text_box(annotation)
    if not value:
        return one
    one.name, one.value = reading.bounded(values.name_of(form, annotation) if is_field else "", value)
    one.length = len(value)
    one.picture = hash(_picture(annotation)) if raw.FPDFAnnot_HasKey(annotation, b"AP") else None
    settle_colour(annotation)
    if not is_field and styles_hide(annotation):
        one.may_be_seen = False
    return one


def _is_ticked(reading: _Reading, form: Any, one: _Entry) -> bool:
    """Return whether the box is ticked; if so, record its name and choice."""
    if reading.is_full():
        reading.unread += 1
        return False
    try:
        choice = values.ticked(form, one.annotation)
        if choice is None:
            return False
        one.name, one.value = reading.bounded(values.name_of(form, one.annotation), choice)
    except TextTooLongError:
        reading.unread += 1
        return False
    return True


def _drawn(page: Any, form: Any, entries: list[_Entry]) -> Drawing | None:
    """Render the fields of the page if any needs the visibility test. The page's own content is gone afterwards."""
    return Drawing.of(page, form) if any(one.may_be_seen and not one.is_tick for one in entries) else None


def _picture(annotation: Any) -> str:
    """Return the appearance stream; empty if it is too long."""
    import pypdfium2.raw as raw

    normal = raw.FPDF_ANNOT_APPEARANCEMODE_NORMAL
    try:
        return ask_text(partial(raw.FPDFAnnot_GetAP, annotation, normal))
    except TextTooLongError:
        return ""


def _is_shown(form: Any, one: _Entry, drawing: Drawing | None) -> bool:
    """Return whether the value is rendered and differs from its background; False if this cannot be determined."""
    import pypdfium2.raw as raw

    if one.box is None or is_tiny(form, one.annotation):
        return False
    kind = raw.FPDFAnnot_GetFormFieldType(form, one.annotation) if one.is_field else -1
    picture = "" if one.picture is None else _picture(one.annotation)
    is_own = (
        one.picture is not None and hash(picture) == one.picture
    )  # else the form requests new appearances for all fields
    if is_own and kind != raw.FPDF_FORMFIELD_LISTBOX and not shows(picture, one.value):
        return False
    if not one.is_drawn or drawing is None:
        colour = colours(entry(one.annotation, b"DA"))
        return one.picture is None and bool(colour) and differ(colour[-1], WHITE)
    if drawing.shows_in(one.box, is_combo=kind == raw.FPDF_FORMFIELD_COMBOBOX and not is_own):
        return True
    if is_own or any(char < _LATIN for char in one.value if not char.isspace()):
        return False
    return differ(colour_of(form, one.annotation), drawing.ground(one.box))


def _shown(page: Any) -> Box:
    import pypdfium2.raw as raw

    box = raw.FS_RECTF()
    raw.FPDF_GetPageBoundingBox(page, box)
    (left, right), (bottom, top) = sorted((box.left, box.right)), sorted((box.bottom, box.top))
    return Box(left, bottom, right, top)


def _printed(page: Any) -> str:
    """Return the page's own text, squeezed."""
    import pypdfium2.raw as raw

    text = raw.FPDFText_LoadPage(page)
    if not text:
        return ""
    try:
        count = min(raw.FPDFText_CountChars(text), MAX_PRINTED)
        if count <= 0:
            return ""
        buffer = (ctypes.c_ushort * (count + 1))()
        written = raw.FPDFText_GetText(text, 0, count, buffer)
        return squeezed(bytes(buffer)[: 2 * max(written - 1, 0)].decode("utf-16-le", "ignore"))
    finally:
        raw.FPDFText_ClosePage(text)
