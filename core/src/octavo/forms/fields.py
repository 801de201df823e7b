"""What was filled in, as it crosses from the worker to the host."""

from __future__ import annotations

from octavo_contracts import Model
from pydantic import Field


class FilledField(Model):
    """A field with a value, or a text box, on one page."""

    page: int = Field(ge=1, description="Page from 1.")
    name: str = Field(description="What the field is called for a reader; empty for a text box.")
    value: str = Field(description="What was filled in, on one line; empty for a box that is ticked.")


class FilledForm(Model):
    """Everything that was filled in."""

    fields: tuple[FilledField, ...] = Field(default=(), description="In the order of the pages.")
    unread_pages: int = Field(default=0, ge=0, description="Pages at the end that were not looked at.")
    is_xfa: bool = Field(default=False, description="Whether the pages are drawn from XML, and hold a placeholder.")
