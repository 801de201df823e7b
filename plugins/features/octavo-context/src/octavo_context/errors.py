"""What can be wrong with a request for context: each a `UsageError`, so that a command ends with code 2.

UsageError
├── BudgetTooSmall      the budget holds nothing of the document
├── NoContext           the model can be given nothing of the document: no text, and it does not read the file
└── NotConverted        the document is being converted, or could not be
"""

from __future__ import annotations

from octavo_contracts import UsageError


class BudgetTooSmall(UsageError):
    """A budget of tokens that not even the shortest form of a document fits in."""


class NoContext(UsageError):
    """A document that a model can be given nothing of."""


class NotConverted(UsageError):
    """A document without a converted version."""
