"""What was filled in, as it crosses from the worker to the host."""

from __future__ import annotations

from octavo_contracts import Model
from pydantic import Field


class FilledField(Model):
    """A field with a value, or a text box, on one page."""

    page: int = Field(ge=1, description="Page from 1.")
    name: str = Field(description="What the field is called for a reader; empty for a text box.")
    value: str = Field(description="What was filled in, on one line; empty for a box that is ticked.")
    printed: int = Field(
        default=0, ge=0, description="How often the value stands in what is printed on the page itself."
    )


class FilledForm(Model):
    """Everything that was filled in."""

    fields: tuple[FilledField, ...] = Field(default=(), description="In the order of the pages.")
    unread_pages: int = Field(default=0, ge=0, description="Pages at the end that were not looked at.")
    unread_fields: int = Field(default=0, ge=0, description="Fields of pages that were looked at, beyond the limits.")
    cut_values: int = Field(default=0, ge=0, description="Values of which only the beginning is there.")
    unseen: dict[int, int] = Field(
        default_factory=dict, description="Page from 1 → values left out, for nobody sees them on it."
    )
    is_lost: bool = Field(
        default=False, description="Whether the reading was ended, and nothing is known of any field."
    )
    is_xfa: bool = Field(default=False, description="Whether the pages are drawn from XML, and hold a placeholder.")


NO_FORM = FilledForm()
"""Of a document without a form."""


def squeezed(text: str) -> str:
    """The text without white space and large letters, for comparing."""
    return "".join(text.split()).casefold()
