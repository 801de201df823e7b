"""Loads the settings that apply in the working directory of the command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .options import INDEX_META

if TYPE_CHECKING:
    from octavo.settings.settings import Settings
    from octavo.settings.sources import Loaded


def settings(**flags: Any) -> Settings:
    """Load the settings of this command, as `loaded`.

    Raises:
        UsageError: a file or variable has an invalid key or value.
    """
    return loaded(**flags).settings


def loaded(**flags: Any) -> Loaded:
    """Load the settings of this command with the origin of each: flags over environment over project file over user file over defaults.

    Args:
        flags: dotted keys with `__` instead of dots, as in variables; None for an option that was not given.

    Raises:
        UsageError: a file or variable has an invalid key or value.
    """
    import click
    from octavo.settings.sources import load_settings

    context = click.get_current_context(silent=True)
    if context is not None and INDEX_META in context.meta:
        flags = {"index": context.meta[INDEX_META], **flags}
    read = load_settings(flags={name.replace("__", "."): value for name, value in flags.items()})
    check_variables(read)
    return read


def check_variables(read: Loaded) -> None:
    """Refuse a variable that is named as a setting in a table and matches none.

    Others may belong to anyone: Kubernetes sets `OCTAVO_WEB_PORT` for a service of the name `octavo-web`.

    Raises:
        UsageError: a variable has two underscores after its table, a value, and matches no setting.
    """
    for name in read.unknown:
        _check_variable(name)


def _check_variable(name: str) -> None:
    import difflib
    import os

    from octavo.settings.sources import keys
    from octavo_contracts import UsageError

    table, separator, _ = name.rpartition("__")
    if not separator or not os.environ.get(name):
        return
    known = [key.variable for key in keys()]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {close[0]}? " if close else ""
    siblings = [one for one in known if one.rpartition("__")[0] == table]
    remedy = f"{hint}Allowed: {', '.join(siblings)}" if siblings else f"{hint}`octavo settings --sources` lists all"
    raise UsageError(f"the variable {name} matches no setting", remedy=remedy)
