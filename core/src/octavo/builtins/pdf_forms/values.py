"""Reads the display name and value of a field or a text box."""

from __future__ import annotations

import html
import re
from functools import partial
from typing import Any

from .pdfium_text import TextTooLongError, ask_text, entry, one_line, put

MAX_NAME = 200
"""Maximum length of a name; a longer one is truncated."""
MAX_OPTIONS = 2000
"""Maximum number of choices of one list that are read."""
_PASSWORD = 1 << 13
"""Flag of a field whose value is not shown."""
_TAG = re.compile(r"<[^<>]*>")
_BLOCK = re.compile(r"<(?:/p|br)\b[^<>]*>")


def text_box(annotation: Any) -> str:
    """Return the content of a text box: its plain text or, if that is missing, its rich text without tags."""
    plain = one_line(entry(annotation, b"Contents"))
    if not plain and (plain := one_line(html.unescape(_TAG.sub("", _BLOCK.sub(" ", entry(annotation, b"RC")))))):
        put(annotation, b"Contents", plain)  # the text that pdfium renders
    return plain


def is_tick(form: Any, annotation: Any) -> bool:
    """Return whether a field is a check box or a radio button."""
    import pypdfium2.raw as raw

    return raw.FPDFAnnot_GetFormFieldType(form, annotation) in (
        raw.FPDF_FORMFIELD_CHECKBOX,
        raw.FPDF_FORMFIELD_RADIOBUTTON,
    )


def name_of(form: Any, annotation: Any) -> str:
    """Return the field's alternate (display) name, else its technical name; truncated to `MAX_NAME`."""
    import pypdfium2.raw as raw

    for ask in (raw.FPDFAnnot_GetFormFieldAlternateName, raw.FPDFAnnot_GetFormFieldName):
        try:
            text = ask_text(partial(ask, form, annotation))
        except TextTooLongError:
            continue
        if name := one_line(text[: 2 * MAX_NAME])[:MAX_NAME]:
            return name
    return ""


def typed(form: Any, annotation: Any) -> str:
    """Return the value of a text field or the choice of a list; empty for other fields and passwords."""
    import pypdfium2.raw as raw

    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    is_list = kind in (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
    if not (is_list or kind == raw.FPDF_FORMFIELD_TEXTFIELD):
        return ""
    if raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD and not is_list:
        return ""
    if is_list and (chosen := _chosen(form, annotation)):
        return chosen
    text = ask_text(partial(raw.FPDFAnnot_GetFormFieldValue, form, annotation))
    if not text and (text := entry(annotation, b"V")):
        put(annotation, b"V", text)  # pdfium does not render a value that is a PDF name
    return one_line(text)


def ticked(form: Any, annotation: Any) -> str | None:
    """Return the choice of a ticked radio button, empty for a check box; None if it is not ticked."""
    import pypdfium2.raw as raw

    if not raw.FPDFAnnot_IsChecked(form, annotation):
        return None
    if raw.FPDFAnnot_GetFormFieldType(form, annotation) == raw.FPDF_FORMFIELD_CHECKBOX:
        return ""
    return one_line(ask_text(partial(raw.FPDFAnnot_GetFormFieldExportValue, form, annotation)))


def _chosen(form: Any, annotation: Any) -> str:
    """Return the selected choices by their labels, not their export values."""
    import pypdfium2.raw as raw

    labels = []
    for number in range(min(raw.FPDFAnnot_GetOptionCount(form, annotation), MAX_OPTIONS)):
        if raw.FPDFAnnot_IsOptionSelected(form, annotation, number):
            label = ask_text(partial(raw.FPDFAnnot_GetOptionLabel, form, annotation, number))
            labels.append(one_line(label))
    return ", ".join(label for label in labels if label)
