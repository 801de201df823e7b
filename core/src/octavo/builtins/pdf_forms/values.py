"""Name and value of a field or a text box, as a reader of the page calls them."""

from __future__ import annotations

import html
import re
from functools import partial
from typing import Any

from .pdfium_text import TextTooLongError, ask_text, entry, one_line, put

MAX_NAME = 200
"""Characters of a name; a longer one is cut."""
MAX_OPTIONS = 2000
"""Choices of one list that are looked at."""
_PASSWORD = 1 << 13
"""The flag of a field whose value is not shown."""
_TAG = re.compile(r"<[^<>]*>")
_BLOCK = re.compile(r"<(?:/p|br)\b[^<>]*>")


def text_box(annotation: Any) -> str:
    """What is typed in a text box: its plain text or, without one, its rich text without tags."""
    plain = one_line(entry(annotation, b"Contents"))
    if not plain and (plain := one_line(html.unescape(_TAG.sub("", _BLOCK.sub(" ", entry(annotation, b"RC")))))):
        put(annotation, b"Contents", plain)  # what pdfium draws
    return plain


def is_tick(form: Any, annotation: Any) -> bool:
    """Whether it is a box to tick or one of a group of them."""
    import pypdfium2.raw as raw

    return raw.FPDFAnnot_GetFormFieldType(form, annotation) in (
        raw.FPDF_FORMFIELD_CHECKBOX,
        raw.FPDF_FORMFIELD_RADIOBUTTON,
    )


def name_of(form: Any, annotation: Any) -> str:
    """What the field is called for a reader, else for a program; never longer than `MAX_NAME`."""
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
    """What is typed in a text field or chosen from a list; empty for what holds neither, and for a password."""
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
        put(annotation, b"V", text)  # pdfium draws no value that is a name
    return one_line(text)


def ticked(form: Any, annotation: Any) -> str | None:
    """The choice that a ticked box stands for, empty where it stands alone; None for one that is not ticked."""
    import pypdfium2.raw as raw

    if not raw.FPDFAnnot_IsChecked(form, annotation):
        return None
    if raw.FPDFAnnot_GetFormFieldType(form, annotation) == raw.FPDF_FORMFIELD_CHECKBOX:
        return ""
    return one_line(ask_text(partial(raw.FPDFAnnot_GetFormFieldExportValue, form, annotation)))


def _chosen(form: Any, annotation: Any) -> str:
    """The choices as the list shows them, and not as they are exported."""
    import pypdfium2.raw as raw

    labels = []
    for number in range(min(raw.FPDFAnnot_GetOptionCount(form, annotation), MAX_OPTIONS)):
        if raw.FPDFAnnot_IsOptionSelected(form, annotation, number):
            label = ask_text(partial(raw.FPDFAnnot_GetOptionLabel, form, annotation, number))
            labels.append(one_line(label))
    return ", ".join(label for label in labels if label)
