"""Models of filled-in values that cross from the worker to the host."""

from __future__ import annotations

from octavo_contracts import Model
from pydantic import Field


class FilledField(Model):
    """A field with a value, or a text box, on one page."""

    page: int = Field(ge=1, description="Page from 1.")
    name: str = Field(description="Display name of the field; empty for a text box.")
    value: str = Field(description="The value on one line; empty for a ticked box.")
    printed: int = Field(default=0, ge=0, description="How often the value occurs in the page's own text.")


class FilledForm(Model):
    """All filled-in values of a document."""

    fields: tuple[FilledField, ...] = Field(default=(), description="In the order of the pages.")
    unread_pages: int = Field(default=0, ge=0, description="Pages at the end that were not read.")
    unread_fields: int = Field(default=0, ge=0, description="Fields beyond the limits on pages that were read.")
    cut_values: int = Field(default=0, ge=0, description="Values that were truncated.")
    unseen: dict[int, int] = Field(
        default_factory=dict, description="Page from 1 → number of values left out because they are invisible."
    )
    is_lost: bool = Field(default=False, description="Whether reading was aborted, so that no field is known.")
    is_xfa: bool = Field(
        default=False, description="Whether the pages are drawn from XML, and contain only a placeholder."
    )


NO_FORM = FilledForm()
"""Of a document without a form."""


def squeezed(text: str) -> str:
    """Remove white space and fold case, for comparison."""
    return "".join(text.split()).casefold()
