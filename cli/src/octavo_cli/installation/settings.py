"""`octavo settings`: show every setting and the origin of its value.

JSON:
    `--json` prints one object:

    - `settings`: a list of `key`, `value` (a secret as stars), `default`, `variable` (the environment variable for
      it), `layer` (`flag`, `environment`, `project file`, `user file` or `default`), `origin` (the flag, variable or
      file; null for a default).
    - `files`: the settings files that were read, highest precedence first.
    - `user_file`: path of the user's own file, which may not exist.
    - `unknown_variables`: environment variables that begin with `OCTAVO_` and match no setting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ..toolkit.options import INDEX_META, json_option, library_option
from ..toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo.settings.sources import Loaded


@octavo_command(name="settings")
@click.option("--sources", is_flag=True, help="Show the origin of each value, and the variable that sets it.")
@library_option
@json_option
@click.pass_context
def command(context: click.Context, sources: bool, library: str, as_json: bool) -> None:
    """Show every setting and the origin of its value.

    In order of precedence: flags, environment variables, the project's file (octavo.toml in the working directory or a
    parent), the user's file, defaults. Passwords are never shown.
    """
    from octavo.settings.sources import load_settings

    from ..toolkit.configured import check_variables

    given = context.get_parameter_source("library") is ParameterSource.COMMANDLINE
    loaded = load_settings(flags={"library": library if given else None, "index": context.meta.get(INDEX_META)})
    check_variables(loaded)
    if as_json:
        _write_json(loaded)
    else:
        _write_table(loaded, sources=sources)


def _write_json(loaded: Loaded) -> None:
    from octavo.settings.sources import keys, user_file
    from octavo.settings.sources.loading import shown

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
    from octavo.settings.sources import keys, user_file

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
        write_line(f"\nFiles read: {read}. User file: {clean(str(user_file()))}")
    for name in loaded.unknown:
        note(f"octavo: the variable {clean(name)} matches no setting")


def _text(value: object) -> str:
    """Format a value as in a settings file; a dash if it is not set."""
    from octavo.settings.sources.loading import shown

    plain = shown(value)
    if plain is None or plain == [] or plain == {}:
        return "-"
    if isinstance(plain, bool):
        return "true" if plain else "false"
    return ", ".join(plain) if isinstance(plain, list) else str(plain)
