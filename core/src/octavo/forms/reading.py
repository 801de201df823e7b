"""Reading the fields of a PDF; called in the worker, where the document is open already."""

from __future__ import annotations

import ctypes
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from octavo.preflight import PdfFile

from .fields import FilledField, FilledForm

MAX_PAGES = 500
"""Pages of a form that are looked at: each has to be loaded."""
MAX_FIELDS = 5000
MAX_CHARS = 1_000_000
"""Characters of one value, and of all of them: no form that a person filled in has as many."""
MAX_SECONDS = 10.0
"""Pages that are hard to load must not cost the document its inspection."""

_XFA_FULL = 2
_PASSWORD = 1 << 13
"""The flag of a field whose value is not shown."""
_WHITE = re.compile(r"(?:^|\s)(?:1(?:\.0*)?\s+g|(?:1(?:\.0*)?\s+){3}rg)(?:\s|$)")
_SIZE = re.compile(r"(\d*\.?\d+)\s+Tf\b")
_TINY = 1.0
"""Points; a size of 0 stands for one that fits the field."""
_TEXT_BOX, _FIELD, _COMPRESSED = b"/FreeText", b"/Widget", b"/ObjStm"


def read_form(pdf: PdfFile) -> FilledForm:
    """The fields and text boxes with a value that a reader of the page sees; hidden ones are left out.

    Args:
        pdf: the file, open; where pdfium could not open it, nothing is found.
    """
    if pdf.document is None:
        return FilledForm()
    is_xfa = pdf.form_type == _XFA_FULL
    if not _may_hold_any(pdf.data, has_form=pdf.form_type > 0):
        return FilledForm(is_xfa=is_xfa)
    found: list[FilledField] = []
    with _environment(pdf.document) as form:
        looked_at = chars = 0
        until = time.monotonic() + MAX_SECONDS
        for index in range(min(pdf.page_count, MAX_PAGES)):
            if len(found) >= MAX_FIELDS or chars > MAX_CHARS or time.monotonic() > until:
                break
            looked_at += 1
            of_page = list(_on_page(pdf.document, form, index))
            chars += sum(len(field.value) for field in of_page)
            found += of_page
    return FilledForm(fields=tuple(found[:MAX_FIELDS]), unread_pages=pdf.page_count - looked_at, is_xfa=is_xfa)


def _may_hold_any(data: bytes, *, has_form: bool) -> bool:
    """Whether it is worth loading each page. In a document without a form, text boxes in compressed objects go unseen."""
    return _TEXT_BOX in data or (has_form and (_FIELD in data or _COMPRESSED in data))


@contextmanager
def _environment(document: Any) -> Iterator[Any]:
    """What pdfium wants before it tells of fields. No script is run: its build has no engine for them."""
    import pypdfium2.raw as raw

    settings = raw.FPDF_FORMFILLINFO(version=2)
    form = raw.FPDFDOC_InitFormFillEnvironment(document, settings)
    try:
        yield form
    finally:
        if form:
            raw.FPDFDOC_ExitFormFillEnvironment(form)


def _on_page(document: Any, form: Any, index: int) -> Iterator[FilledField]:
    import pypdfium2.raw as raw

    page = raw.FPDF_LoadPage(document, index)
    if not page:
        return  # the converter reports it
    if form:
        raw.FORM_OnAfterLoadPage(page, form)  # without it no box counts as ticked
    shown = raw.FS_RECTF()
    raw.FPDF_GetPageBoundingBox(page, shown)
    try:
        for number in range(raw.FPDFPage_GetAnnotCount(page)):
            annotation = raw.FPDFPage_GetAnnot(page, number)
            if not annotation:
                continue
            try:
                filled = _filled(form, annotation) if _is_seen(annotation, shown) else None
            finally:
                raw.FPDFPage_CloseAnnot(annotation)
            if filled is not None:
                yield FilledField(page=index + 1, name=filled[0], value=filled[1])
    finally:
        if form:
            raw.FORM_OnBeforeClosePage(page, form)
        raw.FPDF_ClosePage(page)


def _is_seen(annotation: Any, shown: Any) -> bool:
    """Whether a reader of the page sees it: not hidden, within the page, not white on nothing, not too small to read."""
    import pypdfium2.raw as raw

    if raw.FPDFAnnot_GetFlags(annotation) & (raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW):
        return False
    box = raw.FS_RECTF()
    if not raw.FPDFAnnot_GetRect(annotation, box):
        return False
    left, right = max(box.left, shown.left), min(box.right, shown.right)
    bottom, top = max(min(box.bottom, box.top), shown.bottom), min(max(box.bottom, box.top), shown.top)
    if right <= left or top <= bottom:
        return False
    look = _text(lambda buffer, size: raw.FPDFAnnot_GetStringValue(annotation, b"DA", buffer, size))
    size = _SIZE.search(look)
    if size is not None and 0 < float(size[1]) < _TINY:
        return False
    return _WHITE.search(look) is None or bool(raw.FPDFAnnot_HasKey(annotation, b"MK"))


def _filled(form: Any, annotation: Any) -> tuple[str, str] | None:
    """Name and value; None for what holds none."""
    import pypdfium2.raw as raw

    subtype = raw.FPDFAnnot_GetSubtype(annotation)
    if subtype == raw.FPDF_ANNOT_FREETEXT:
        text = _text(lambda buffer, size: raw.FPDFAnnot_GetStringValue(annotation, b"Contents", buffer, size))
        return ("", text) if text else None
    if subtype != raw.FPDF_ANNOT_WIDGET or not form:
        return None
    return _field(form, annotation)


def _field(form: Any, annotation: Any) -> tuple[str, str] | None:
    import pypdfium2.raw as raw

    if raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD:
        return None
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    name = _text(lambda buffer, size: raw.FPDFAnnot_GetFormFieldAlternateName(form, annotation, buffer, size)) or _text(
        lambda buffer, size: raw.FPDFAnnot_GetFormFieldName(form, annotation, buffer, size)
    )
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        if not raw.FPDFAnnot_IsChecked(form, annotation):
            return None
        if kind == raw.FPDF_FORMFIELD_CHECKBOX:
            return name, ""
        return name, _text(lambda buffer, size: raw.FPDFAnnot_GetFormFieldExportValue(form, annotation, buffer, size))
    if kind not in (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        return None
    value = _text(lambda buffer, size: raw.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size))
    return (name, value) if value else None


def _text(ask: Callable[[Any, int], int]) -> str:
    """What pdfium writes to a buffer, UTF-16 with a zero at its end, as one line that can be printed."""
    import pypdfium2.raw as raw

    size = min(ask(None, 0), 2 * MAX_CHARS + 2)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    if ask(ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size) > size:
        return ""  # longer than it may be: pdfium writes nothing then
    text = buffer.raw[: size - 2].decode("utf-16-le", "ignore")
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
