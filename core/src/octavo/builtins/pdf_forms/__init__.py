"""Filled-in values of PDF forms: form fields and text boxes are annotations above the page, which converters ignore.

They are read when the document is inspected, and added to the end of their pages if the converter lacks them.
"""

from __future__ import annotations

from .fields import FilledField, FilledForm

__all__ = ["FilledField", "FilledForm"]
