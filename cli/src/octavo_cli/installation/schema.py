"""`octavo schema`: print the JSON Schemas of Octavo's results.

JSON:
    With NAME the output is the JSON Schema itself. Without NAME, `--json` prints `schemas`, a list of names.
"""

from __future__ import annotations

import click

from ..toolkit.options import json_option
from ..toolkit.running import octavo_command


@octavo_command(name="schema")
@click.argument("name", metavar="[NAME]", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """Print the JSON Schemas of Octavo's results.

    Without NAME, print the names. Readers must accept properties that a schema does not name: a newer minor version of
    the contract may add some.
    """
    from octavo_contracts import UsageError
    from octavo_contracts.schema import SCHEMA_MODELS, load_schema

    from ..toolkit.output import write_json, write_line

    if name is None:
        if as_json:
            write_json({"schemas": list(SCHEMA_MODELS)})
            return
        for known, model in SCHEMA_MODELS.items():
            summary = (model.__doc__ or "").strip().partition("\n")[0]
            write_line(f"{known:<28}{summary}")
        return
    if name not in SCHEMA_MODELS:
        raise UsageError(f"no schema named {name!r}", remedy=f"Use one of {', '.join(SCHEMA_MODELS)}")
    write_json(load_schema(name))
