"""Errors of context requests. Each is a `UsageError`: commands exit with code 2.

UsageError
├── BudgetTooSmall      not even the shortest form fits into the budget
├── NoContext           the document has no text, and the model cannot read the file
└── NotConverted        the document has no converted version: still converting, or failed
"""

from __future__ import annotations

from octavo_contracts import UsageError


class BudgetTooSmall(UsageError):
    """The token budget is smaller than the shortest form of the document."""


class NoContext(UsageError):
    """The document has no form that the model can read."""


class NotConverted(UsageError):
    """The document has no converted version."""
