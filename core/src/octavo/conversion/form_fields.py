"""Values of fields at the end of the pages on which they were filled in, where a converter does not have them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from octavo_contracts import Conversion, ConversionWarning, DegradedFlag, Page, QualityFinding
from octavo_contracts.authoring.markdown import escape

from ..builtins.pdf_forms.fields import FilledField, FilledForm, squeezed

FORM_FIELDS = "form_fields"
"""Of the warning on a page to which values were added, and of the note in the report."""
TELLING = 8
"""A value of fewer signs may stand in a text by chance, and says nothing of whether the converter reads fields."""


def with_fields(conversion: Conversion, form: FilledForm) -> Conversion:
    """The conversion with the values that it lacks, and a warning with the code `FORM_FIELDS` for each page that has some now.

    Args:
        conversion: of the whole document or, with `source_pages`, of some of its pages.
        form: what was filled in.
    """
    by_place: dict[int, list[FilledField]] = defaultdict(list)
    for field in form.fields:
        place = _place(conversion, field.page)
        if place is not None:
            by_place[place].append(field)
    pages = list(conversion.pages)
    warnings = list(conversion.warnings)
    for place, fields in sorted(by_place.items()):
        lacking = _lacking(pages[place], fields)
        if lacking:
            pages[place] = _added(pages[place], lacking)
            message = f"{_count(lacking)} filled in above the page and not in the converter's text"
            number = pages[place].number if conversion.paginated else None
            warnings.append(ConversionWarning(code=FORM_FIELDS, message=message, page=number))
    return conversion.model_copy(update={"pages": tuple(pages), "warnings": tuple(warnings)})


def findings(conversion: Conversion, form: FilledForm) -> list[QualityFinding]:
    """What the report says of the form: which values were added where, and what could not be read.

    Args:
        conversion: as stored.
        form: what was filled in.
    """
    found = [
        QualityFinding(
            flag=FORM_FIELDS,
            severity="note",
            message=f"{warning.message}: they stand at the end of it.",
            page=warning.page,
            remedy="",
        )
        for warning in conversion.warnings
        if warning.code == FORM_FIELDS
    ]
    if form.is_xfa:
        found.append(
            QualityFinding(
                flag=DegradedFlag.PARTIAL_CONVERSION.value,
                message="The PDF is an XFA form: what it shows is drawn from XML by Adobe's programs alone, and its own pages "
                "may hold no more than a placeholder.",
                remedy="Open it in Adobe Acrobat Reader, print it to a PDF, and ingest that",
            )
        )
    if form.is_lost:
        found.append(_partial("Nothing of what is filled in was read, for it took too long: the form is too large."))
    elif left := _left(form):
        found.append(_partial(f"Not all that is filled in was read: {left}. The form is too large."))
    for number, count in form.unseen.items():
        place = _place(conversion, number)
        if place is not None:
            found.append(
                QualityFinding(
                    flag=DegradedFlag.HIDDEN_TEXT.value,
                    severity="note",
                    message=f"{_values(count)} filled in where a reader of the page cannot see it, and left out.",
                    page=conversion.pages[place].number if conversion.paginated else None,
                    remedy="",
                )
            )
    return found


def _partial(message: str) -> QualityFinding:
    return QualityFinding(
        flag=DegradedFlag.PARTIAL_CONVERSION.value, message=message, remedy="Split the PDF, and ingest its parts"
    )


def _left(form: FilledForm) -> str:
    """What was left by the limits; empty where nothing was."""
    said = []
    if form.unread_fields:
        said.append(
            "1 field was not looked at"
            if form.unread_fields == 1
            else f"{form.unread_fields} fields were not looked at"
        )
    if form.unread_pages:
        last = "the last page was" if form.unread_pages == 1 else f"the last {form.unread_pages} pages were"
        said.append(f"{last} not looked at")
    if form.cut_values:
        said.append(f"{_values(form.cut_values)} cut")
    return ", ".join(said)


def _place(conversion: Conversion, page: int) -> int | None:
    """Where the page stands in the conversion; None where it is not in it."""
    if conversion.source_pages is not None:
        return conversion.source_pages.index(page) if page in conversion.source_pages else None
    if not conversion.paginated:
        return len(conversion.pages) - 1
    return page - 1 if page <= len(conversion.pages) else None


def _lacking(page: Page, fields: Sequence[FilledField]) -> list[FilledField]:
    """The fields whose values the converter does not give: one that is given stands in its text more often than on the page.

    Short values differ by chance from reader to reader. They count as given only where a longer one shows that the converter
    reads fields at all. A tick has no value, and is always lacking.
    """
    texts = (squeezed(page.markdown), squeezed(page.text or ""))
    wanted = Counter(squeezed(field.value) for field in fields)
    printed = {squeezed(field.value): field.printed for field in fields}
    given = {
        value: min(max(text.count(value) for text in texts) - printed[value], count)
        for value, count in wanted.items()
        if value
    }
    if not any(count > 0 and len(value) >= TELLING for value, count in given.items()):
        return list(fields)
    lacking = []
    for field in fields:
        value = squeezed(field.value)
        if given.get(value, 0) > 0:
            given[value] -= 1
        else:
            lacking.append(field)
    return lacking


def _added(page: Page, fields: Sequence[FilledField]) -> Page:
    markdown = "\n".join(f"- {_line(field, escaped=True)}" for field in fields)
    text = "\n".join(_line(field, escaped=False) for field in fields)
    return page.model_copy(
        update={
            "markdown": f"{page.markdown.rstrip()}\n\n{markdown}".lstrip("\n"),
            "text": f"{(page.text or '').rstrip()}\n\n{text}".lstrip("\n"),
        }
    )


def _line(field: FilledField, *, escaped: bool) -> str:
    name, value = (escape(field.name), escape(field.value)) if escaped else (field.name, field.value)
    if not value:
        return f"[x] {name}"
    return f"{name}: {value}" if name else value


def _count(fields: Sequence[FilledField]) -> str:
    return _values(len(fields))


def _values(count: int) -> str:
    return "1 value is" if count == 1 else f"{count} values are"
