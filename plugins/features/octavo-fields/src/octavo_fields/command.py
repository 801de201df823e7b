"""`octavo fields` (also `octavo extract`): literal values of a document, each with the place where it stands.

JSON:
    `--json` prints one object with `fields`: name → an object of

    - `value`: the value, or null: a text, or a number; dates in ISO 8601.
    - `span`: `start` and `end` in code points of the document's canonical text; null where it is not verified.
    - `verified`: whether the text at `span` says the value, whole and in one way only. Take nothing else on trust.
    - `method`: the engine; with `+relaxed` where the value stands at one place only, and that not where the engine said;
      `none` where nothing was found; `refused` where the question is not one of literal values.

Exit codes:
    0: the document was read, whatever was found. 2: the schema or the document is not there or cannot be read. 4: with
    `--fail-on unverified`, a field that the schema requires has no verified value. 6: no engine is installed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from octavo.cli.toolkit.options import json_option, library_option
from octavo.cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import ExitCode

    from . import Extraction

_MAX_SCHEMA = 1_000_000


@octavo_command(name="fields")
@click.argument("document", metavar="DOC")
@click.option(
    "--schema",
    metavar="FILE[:MODEL]",
    required=True,
    help="JSON Schema of an object, whose properties are the fields that are wanted; or model.py:Model, a pydantic model in "
    "a Python file of your own, which is run.",
)
@click.option("--engine", metavar="PLUGIN", help="The plugin that looks; by default every installed one, by priority.")
@click.option(
    "--fail-on",
    type=click.Choice(["unverified"]),
    help="End with code 4 when a field that the schema requires has no verified value.",
)
@library_option
@json_option
def command(
    document: str, schema: str, engine: str | None, fail_on: str | None, library: str, as_json: bool
) -> ExitCode | None:
    """Extract literal values from a document, each with the place where it stands.

    DOC is as for `octavo show`. Values are copied from the text, or normalised from a copy: dates,
    amounts, numbers, identifiers, citations, addresses. Each is held to the text at its place before it counts as
    verified. Questions of judgement are refused.
    """
    from octavo.cli.toolkit.output import clean, note, note_empty, write_json
    from octavo_contracts import ExitCode
    from octavo_library.commands.opening import open_library

    from . import extract

    with open_library(library, create=False) as opened:
        found = extract(opened, document, _schema(schema), engine=engine)
        note_empty(document, opened.document(document).why_empty)
    for name, who, why in found.failures:
        note(clean(f"octavo: {name}: what {who} gave is not verified: {why}"))
    for name, field in found.fields.items():
        if field.method == "refused":
            note(clean(f"octavo: {name}: refused: {field.why}"))
    if as_json:
        write_json({"fields": _keys(found)})
    else:
        _write(found)
    return ExitCode.DEGRADED if fail_on and found.missing else None


def _schema(given: str) -> Any:
    file, colon, model = given.rpartition(":")
    if colon and file.endswith(".py"):
        return _model(Path(file), model)
    return _json_schema(given)


def _model(file: Path, name: str) -> Any:
    """The pydantic model of a user's own file.

    Raises:
        UsageError: there is no such file or model, or the file does not run.
    """
    from importlib.util import module_from_spec, spec_from_file_location

    from octavo_contracts import UsageError
    from pydantic import BaseModel

    spec = spec_from_file_location(f"octavo_schema_{file.stem}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise UsageError("there is no such Python file", source=str(file))
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # where pydantic looks up what its annotations name
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the user's own code: whatever it raises is told as theirs
        del sys.modules[spec.name]
        raise UsageError(f"it does not run: {type(error).__name__}: {error}", source=str(file)) from error
    model = getattr(module, name, None)
    if not (isinstance(model, type) and issubclass(model, BaseModel) and model is not BaseModel):
        raise UsageError(f"it has no pydantic model {name!r}", source=str(file))
    return model


def _json_schema(path: str) -> Any:
    from octavo.cli.toolkit.input_file import read_named
    from octavo_contracts import SourceMissing, UsageError

    try:
        schema = json.loads(read_named(path, at_most=_MAX_SCHEMA).decode())
    except (SourceMissing, ValueError, RecursionError) as error:
        raise UsageError(f"it cannot be read as JSON: {error}", source=path) from error
    if not isinstance(schema, dict):
        raise UsageError("it is not the schema of an object", source=path)
    return schema


def _keys(found: Extraction) -> dict[str, Any]:
    return {
        name: {
            "value": field.value,
            "span": {"start": field.span.start, "end": field.span.end} if field.span else None,
            "verified": field.verified,
            "method": field.method,
        }
        for name, field in found.fields.items()
    }


def _write(found: Extraction) -> None:
    from octavo.cli.toolkit.output import add_row, make_table, write_table

    table = make_table("Field", "Value", "Verified", "Place", "Method", "Why not")
    for name, field in found.fields.items():
        place = f"{field.span.start}-{field.span.end}" if field.span else ""
        value = "" if field.value is None else str(field.value)
        add_row(table, (name, value, "yes" if field.verified else "no", place, field.method, field.why))
    write_table(table)
