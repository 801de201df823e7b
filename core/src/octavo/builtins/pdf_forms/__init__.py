"""What is filled in on the pages of a PDF: values of form fields and text boxes lie above the page, where converters do not look.

They are read where the document is inspected, and stand at the end of their pages where a converter does not have them.
"""

from __future__ import annotations

from .fields import FilledField, FilledForm

__all__ = ["FilledField", "FilledForm"]
