"""`octavo settings`: show every setting, and where its value comes from.

JSON:
    `--json` prints one object:

    - `settings`: a list of `key`, `value` (a secret as stars), `default`, `variable` (the environment variable that sets
      it), `layer` (`flag`, `environment`, `project file`, `user file` or `default`), `origin` (the flag, variable or
      file; null for a default).
    - `files`: the settings files that were read, the stronger first.
    - `user_file`: where the user's own file is or would be.
    - `unknown_variables`: environment variables that begin with `OCTAVO_` and set nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ..toolkit.options import json_option, library_option
from ..toolkit.running import octavo_command

if TYPE_CHECKING:
    from ...settings.sources import Loaded


@octavo_command(name="settings")
@click.option("--sources", is_flag=True, help="Say of each value where it comes from, and which variable sets it.")
@library_option
@json_option
@click.pass_context
def command(context: click.Context, sources: bool, library: str, as_json: bool) -> None:
    """Show every setting, and where its value comes from.

    A flag is stronger than a variable, a variable than the project's file (octavo.toml in the working folder or above
    it), that than the user's file, that than the default. Passwords are never shown.
    """
    from ...settings.sources import load_settings

    given = context.get_parameter_source("library") is ParameterSource.COMMANDLINE
    loaded = load_settings(flags={"library": library if given else None})
    if as_json:
        _write_json(loaded)
    else:
        _write_table(loaded, sources=sources)


def _write_json(loaded: Loaded) -> None:
    from ...settings.sources import keys, user_file
    from ...settings.sources.loading import shown
    from ..toolkit.output import write_json

    rows = [
        {
            "key": key.name,
            "value": shown(loaded.values[key.name]),
            "default": shown(key.default),
            "variable": key.variable,
            "layer": loaded.origins[key.name].layer,
            "origin": loaded.origins[key.name].name or None,
        }
        for key in keys()
    ]
    files = [str(path) for path in loaded.files]
    write_json(
        {"settings": rows, "files": files, "user_file": str(user_file()), "unknown_variables": list(loaded.unknown)}
    )


def _write_table(loaded: Loaded, *, sources: bool) -> None:
    from ...settings.sources import keys, user_file
    from ..toolkit.output import add_row, clean, make_table, note, write_line, write_table

    table = make_table("Setting", "Value", *(("From", "Variable") if sources else ()))
    for key in keys():
        cells = [key.name, _text(loaded.values[key.name])]
        if sources:
            cells += [str(loaded.origins[key.name]), key.variable]
        add_row(table, cells)
    write_table(table)
    if sources:
        read = ", ".join(clean(str(path)) for path in loaded.files) or "none"
        write_line(f"\nFiles read: {read}. Yours: {clean(str(user_file()))}")
    for name in loaded.unknown:
        note(f"octavo: the variable {clean(name)} sets nothing")


def _text(value: object) -> str:
    """A value as it would be written in a settings file; what is not set, as a dash."""
    from ...settings.sources.loading import shown

    plain = shown(value)
    if plain is None or plain == []:
        return "-"
    if isinstance(plain, bool):
        return "true" if plain else "false"
    return ", ".join(plain) if isinstance(plain, list) else str(plain)
