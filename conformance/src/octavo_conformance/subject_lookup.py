"""Finds the plugin that is to be tested, and says why it cannot be."""

from __future__ import annotations

from octavo_contracts import ToolUnavailable, UsageError

from .budget import Budget
from .subject import Subject


def find_subject(name: str, *, budget: Budget | None = None) -> Subject:
    """Find the plugin with a name and prepare it for testing.

    Raises:
        UsageError: no plugin of that name is installed.
        ToolUnavailable: the installed plugin cannot be used because of its manifest, contract, engine or import.
    """
    try:
        subject = Subject(name, budget=budget)
    except UsageError as error:
        remedy = "Run `octavo plugins` to list them; in the folder of your own plugin run `pip install -e .`"
        raise UsageError(error.message, remedy=remedy) from error
    try:
        lacking = subject.plugin.missing()
        if lacking:
            raise ToolUnavailable(lacking, plugin=name)
        if isinstance(subject.load_error, ToolUnavailable):
            raise subject.load_error
    except BaseException:
        subject.close()
        raise
    return subject
