"""`octavo fields` (also `octavo extract`): extracts literal values of a document, each with its position.

JSON:
    `--json` prints one object with `fields`: name → an object of

    - `value`: the value, a string or a number, or null; dates in ISO 8601.
    - `span`: `start` and `end` in code points of the document's canonical text; null if it is not verified.
    - `verified`: whether the text at `span` is the value, complete and unambiguous. Do not trust other values.
    - `method`: the engine; with `+relaxed` if the value occurs at exactly one position, but not where the engine said;
    `none` if nothing was found; `refused` if the question is not about a literal value.
    - `why`: why there is no value, or why it is not verified: which labels the text has, and what stands behind them. Of a
    verified value: which words of it OCR was unsure of; else empty.

Exit codes:
    0: the document was read, with any result. 2: the schema or the document does not exist or cannot be read. 4: with
    `--fail-on unverified`, a field required by the schema has no verified value. 5: the model's server is on
    another machine, and a corpus of the document forbids that. 6: no engine is installed, or the model cannot be asked.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from octavo.plugins.prestart import start_workers_ahead
from octavo_cli.toolkit import immediate_exit
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import ExitCode
    from pydantic import JsonValue

    from . import Extraction
    from .model_server import ModelSettings

_MAX_SCHEMA = 1_000_000
_TWO_DECIMALS = re.compile(r"\d[.,]\d\d(?![\w.,])[^a-z\d]*$")
"""The end of an amount with two decimals, perhaps before a currency; not of `1.50 million`."""


@octavo_command(name="fields")
@click.argument("document", metavar="DOC")
@click.option(
    "--schema",
    metavar="FILE[:MODEL]",
    required=True,
    help="JSON Schema of an object, whose properties are the wanted fields; or model.py:Model, a pydantic model in "
    "your own Python file, which is run.",
)
@click.option("--engine", metavar="PLUGIN", help="The plugin to use; default: every installed one, by priority.")
@click.option(
    "--model",
    metavar="NAME",
    help="The model at --model-url that is asked for the fields that no plugin verified; it may be asked for a judgement.",
)
@click.option("--model-url", metavar="URL", help="An OpenAI-compatible server, such as http://127.0.0.1:8080/v1.")
@click.option("--model-key-env", metavar="NAME", help="The environment variable with the server's key.")
@click.option("--nuextract", is_flag=True, help="The model is NuExtract, which fills a template.")
@click.option(
    "--fail-on",
    type=click.Choice(["unverified"]),
    help="End with code 4 when a field that the schema requires has no verified value.",
)
@library_option
@json_option
def command(
    document: str,
    schema: str,
    engine: str | None,
    model: str | None,
    model_url: str | None,
    model_key_env: str | None,
    nuextract: bool,
    fail_on: str | None,
    library: str,
    as_json: bool,
) -> ExitCode | None:
    """Extract literal values from a document, each with its position.

    DOC is a document of the library, as for `octavo show`. Values are copied from the text, or normalised from a copy: dates,
    amounts, numbers, identifiers, citations, addresses. A value is compared with the text at its position before it counts
    as verified. Questions of judgement are refused, unless --model names a model; its answers to them are never verified.

    The text goes to a model on another machine only if every corpus of DOC allows cloud services.
    """
    immediate_exit.skip_teardown()
    start_workers_ahead()  # before anything large is imported here

    from octavo_cli.toolkit.output import clean, note, write_json
    from octavo_cli.toolkit.remedies import note_empty
    from octavo_contracts import ExitCode
    from octavo_library.commands.opening import open_library

    from . import extract

    asked = _model_settings(model, model_url, key_env=model_key_env, is_nuextract=nuextract)
    with open_library(library, create=False) as opened:
        found = extract(opened, document, _schema(schema), engine=engine, model=asked)
        asked_of = opened.document(document)
        note_empty(document, asked_of.why_empty)
        text = "" if as_json else asked_of.canonical_text
    for name, who, why in found.failures:
        note(clean(f"octavo: {name}: the value from {who} is not verified: {why}"))
    for name, field in found.fields.items():
        if field.method == "refused":
            note(clean(f"octavo: {name}: refused: {field.why}"))
    if as_json:
        write_json({"fields": _keys(found)})
    else:
        _write(found, text)
    return ExitCode.DEGRADED if fail_on and found.missing else None


def _model_settings(
    model: str | None, url: str | None, *, key_env: str | None, is_nuextract: bool
) -> ModelSettings | None:
    """The model to ask, or None.

    Raises:
        UsageError: the model has no server, or an option for a model was given without one.
    """
    from octavo_contracts import UsageError

    if model is None and url is None and key_env is None and not is_nuextract:
        return None
    if model is None or url is None:
        raise UsageError("a model needs --model and --model-url", remedy="Give both, or neither")
    from .model_server import ModelSettings

    return ModelSettings(model=model, url=url, key_env=key_env, is_nuextract=is_nuextract)


def _schema(given: str) -> Any:
    file, colon, model = given.rpartition(":")
    if colon and file.endswith(".py"):
        return _model(Path(file), model)
    return _json_schema(given)


def _model(file: Path, name: str) -> Any:
    """Load a pydantic model from a user's own file.

    Raises:
        UsageError: the file or the model does not exist, or the file raises.
    """
    from importlib.util import module_from_spec, spec_from_file_location

    from octavo_contracts import UsageError
    from pydantic import BaseModel

    spec = spec_from_file_location(f"octavo_schema_{file.stem}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise UsageError("the Python file does not exist", source=str(file))
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # where pydantic resolves annotations
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the user's own code: any exception is reported as theirs
        del sys.modules[spec.name]
        raise UsageError(f"the file raises {type(error).__name__}: {error}", source=str(file)) from error
    model = getattr(module, name, None)
    if not (isinstance(model, type) and issubclass(model, BaseModel) and model is not BaseModel):
        raise UsageError(f"the file has no pydantic model {name!r}", source=str(file))
    return model


def _json_schema(path: str) -> Any:
    from octavo_cli.toolkit.input_file import read_named
    from octavo_contracts import SourceMissing, UsageError

    try:
        schema = json.loads(read_named(path, at_most=_MAX_SCHEMA).decode())
    except (SourceMissing, ValueError, RecursionError) as error:
        raise UsageError(f"the file cannot be read as JSON: {error}", source=path) from error
    if not isinstance(schema, dict):
        raise UsageError("the file is not the schema of an object", source=path)
    return schema


def _keys(found: Extraction) -> dict[str, Any]:
    return {
        name: {
            "value": field.value,
            "span": {"start": field.span.start, "end": field.span.end} if field.span else None,
            "verified": field.verified,
            "method": field.method,
            "why": field.why,
        }
        for name, field in found.fields.items()
    }


def _write(found: Extraction, text: str) -> None:
    from octavo_cli.toolkit.output import add_row, make_table, write_table

    table = make_table("Field", "Value", "Verified", "Place", "Method", "Why")
    for name, field in found.fields.items():
        place = f"{field.span.start}-{field.span.end}" if field.span else ""
        value = _shown(field.value, field.span.of(text) if field.span else "")
        add_row(table, (name, value, "yes" if field.verified else "no", place, field.method, field.why))
    write_table(table)


def _shown(value: JsonValue, verbatim: str) -> str:
    """A value for people: a number with the two decimals that an amount has in the text, such as 234.40."""
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool) and _TWO_DECIMALS.search(verbatim):
        amount = f"{value:.2f}"
        return amount if float(amount) == value else str(value)
    return str(value)
