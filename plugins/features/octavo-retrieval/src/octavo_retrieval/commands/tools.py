"""`octavo tools`: list and call the retrieval tools.

JSON:
    `octavo tools list --json` prints one object with `tools`, a list of registry entries (`action_id`, `domain`,
    `display_name`, `user_goal`, `description`, `stability_class`, `agent_invocable`, `invocation_bindings`,
    `confirmation_policy`, `safety_class`, `aliases`, `common_phrases`, `codegen_source`, `schema_version`), each with its
    `name` and `group`; and `rosters`, specialist → names of tools.

    `octavo tools schema [NAME] --json` prints one object: `tools`, name → `input` and `output`, JSON Schemas.

    `octavo tools call NAME --json` prints one object: `tool`, `result` (as the output schema says), `receipt` (`line`, `tool`,
    `corpus_id`, `document_id`, `pages`, `source_refs`, `degraded_flags`, `confidence`) and `text`, the answer as sent to a model.
    A call without a result prints `tool` and `error` (`code`, `message`, `remedy`), and exits with the code of the error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import ExitCode

corpus_option = click.option("--corpus", metavar="NAME", help="Only the documents of this corpus, under its policy.")


@click.group(name="tools", context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True)
def command() -> None:
    """List and call the tools with which a model reads a library.

    `octavo mcp` (octavo-mcp) serves the same tools to an assistant.
    """


@octavo_command(name="list")
@corpus_option
@library_option
@json_option
def list_command(corpus: str | None, library: str, as_json: bool) -> None:
    """List the tools and their purposes."""
    from octavo_cli.toolkit.output import write_json, write_line
    from octavo_library.commands.opening import open_library

    from ..document_tools import tools
    from ..specialist_rosters import rosters

    with open_library(library, create=False) as opened:
        offered = tools(opened, corpus=corpus)
        if as_json:
            entries = [
                {"name": tool.name, "group": tool.group, **tool.entry.model_dump(mode="json")}
                for tool in offered.values()
            ]
            write_json({"tools": entries, "rosters": {agent: list(names) for agent, names in rosters(offered).items()}})
            return
        for tool in offered.values():
            write_line(f"{tool.name}  ({tool.group}, {tool.entry.safety_class})\n  {tool.entry.user_goal}")


@octavo_command(name="schema")
@click.argument("name", required=False)
@library_option
@json_option
def schema_command(name: str | None, library: str, as_json: bool) -> None:
    """Print the JSON Schemas of a tool's arguments and answer, or of all tools."""
    from octavo_cli.toolkit.output import to_json, write_bytes
    from octavo_library.commands.opening import open_library

    from ..document_tools import tools

    with open_library(library, create=False) as opened:
        offered = tools(opened)
        chosen = [offered.named(name)] if name is not None else list(offered.values())
        schemas = {tool.name: {"input": tool.input_schema, "output": tool.output_schema} for tool in chosen}
    write_bytes(to_json({"tools": schemas}))


@octavo_command(name="call")
@click.argument("name")
@click.option("--args", "arguments", metavar="JSON", default="{}", help="The arguments, as a JSON object.")
@corpus_option
@library_option
@json_option
def call_command(name: str, arguments: str, corpus: str | None, library: str, as_json: bool) -> ExitCode | None:
    """Call a tool and print its answer as sent to a model.

    The arguments are a JSON object: '{"query": "tide gauge"}'. `octavo tools schema NAME` describes them.
    """
    from octavo_cli.toolkit.output import clean, note, write_json, write_line
    from octavo_library.commands.opening import open_library

    from ..document_tools import tools
    from ..failures import ToolFailure

    with open_library(library, create=False) as opened:
        offered = tools(opened, corpus=corpus)
        try:
            answer = offered.call(name, _object(arguments))
        except ToolFailure as failure:
            if not as_json:
                raise
            write_json({"tool": name, "error": failure.failure.model_dump(mode="json")})
            return failure.exit_code
        if as_json:
            receipt = answer.receipt.model_dump(mode="json")
            write_json({"tool": answer.tool, "result": answer.as_dict(), "receipt": receipt, "text": answer.text})
            return None
        write_line("\n".join(clean(line) for line in answer.text.split("\n")))
        note(f"octavo: {clean(answer.receipt.line)}")
    return None


def _object(text: str) -> dict[str, Any]:
    import json

    from ..failures import FailureCode, ToolFailure

    try:
        given = json.loads(text)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise ToolFailure(
            FailureCode.INVALID_ARGUMENTS,
            "--args is not a JSON object",
            remedy="""Give one, such as '{"query": "tide"}'""",
        )
    return given


command.add_command(list_command)
command.add_command(schema_command)
command.add_command(call_command)
