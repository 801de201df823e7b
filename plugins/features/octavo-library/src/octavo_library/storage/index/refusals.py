"""Errors of the index about the rows of one write: the database is available and would refuse them again."""

from __future__ import annotations

from octavo_contracts import ExitCode, HardFailReason, OctavoError, StorageError, UsageError
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

_TOO_LARGE = ("54", "22001")
"""SQLSTATEs of a value or a row that is over a limit: the class of program limits, and strings that are too long."""

CANCELLED = "57014"
"""SQLSTATE of a statement that took longer than `statement_timeout`, or that an administrator cancelled."""


class IndexRefused(StorageError):
    """The database refused a write because of its rows. The index can be written otherwise."""

    reason = HardFailReason.DOC25_CONTRACT_VIOLATION
    exit_code = ExitCode.HARD_FAILURES
    default_remedy = (
        "Report the message, which names what the database refused; ingest the document again after an update"
    )


class IndexRowTooLarge(IndexRefused):
    """A row or a value is over a limit of the database."""

    reason = HardFailReason.CONTENT_TOO_LARGE
    default_remedy = (
        "Shorten what the message names, such as the path, or split the document; then ingest the document again"
    )


class IndexTimeout(IndexRefused):
    """The database cancelled a statement because of its duration."""

    reason = HardFailReason.CONVERSION_TIMEOUT
    default_remedy = "Raise statement_timeout for the database's user; then ingest the document again"


def refusal(place: str, code: str, said: str) -> IndexRefused:
    """The error for a statement that a server refused.

    Args:
        place: the index, as messages may show it.
        code: the SQLSTATE.
        said: the server's message, without secrets.
    """
    if code == CANCELLED:
        return IndexTimeout(f"the index {place} cancelled a statement: {said}")
    kind = IndexRowTooLarge if code.startswith(_TOO_LARGE) else IndexRefused
    return kind(f"the index {place} refused a write: {said}{f' (SQLSTATE {code})' if code else ''}")


def refusal_of(error: BaseException) -> OctavoError | None:
    """The refusal behind the error of a commit, with a reason code; None if the same commit may succeed later.

    A commit that an argument makes impossible, such as a corpus that was deleted, is refused in the same way. So is one
    whose statement is a bug in Octavo, which is raised untranslated.
    """
    if isinstance(error, IndexRefused):
        return error
    if isinstance(error, UsageError):
        return IndexRefused(error.message, remedy=error.remedy or None)
    if isinstance(error, DBAPIError):
        said = str(error.orig).strip().partition("\n")[0]
        return IndexRefused(f"the index refused a write: {type(error.orig).__name__}: {said}")
    if isinstance(error, SQLAlchemyError):
        return IndexRefused(f"the index refused a write: {type(error).__name__}")
    return None
