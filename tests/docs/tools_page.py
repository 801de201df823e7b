"""The reference page of the tools with which a model reads a library: from their registry entries and schemas."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

from octavo_library import Library
from octavo_retrieval import Tool, tools
from reference_markdown import model_table, table

GROUPS = {
    "documents": "Reads documents. These tools are offered by default.",
    "memory": "Reads and verifies memories, where `octavo-memory` is installed.",
    "ingest": "Makes new versions of documents; offered where the server names the group.",
}


def tools_page() -> list[str]:
    """Return the page."""
    with tempfile.TemporaryDirectory() as folder, Library.open(f"{folder}/library") as library:
        offered = list(tools(library).values())
    parts = [
        "# Tools",
        "The tools with which a language model reads a library: over MCP (`octavo mcp`), in Python (`octavo_retrieval.tools`) and "
        "on the command line (`octavo tools call`). [Connect an assistant](../how-to/assistant.md) shows them at work. Arguments that "
        "a tool does not have are refused, and every answer and every refusal says what to do next.",
        table(
            ("tool", "group", "action", "purpose"),
            [
                (f"[`{one.name}`](#{one.name})", one.group, f"`{one.entry.action_id}`", one.entry.user_goal)
                for one in offered
            ],
        ),
    ]
    for group, meaning in GROUPS.items():
        parts += [f"## The group {group}", meaning]
        for tool in offered:
            if tool.group == group:
                parts += _tool(tool)
    return parts


def _tool(tool: Tool) -> Iterator[str]:
    yield f"### {tool.name}"
    yield tool.entry.description
    yield "Arguments:"
    yield model_table(tool.request)
    yield "Answer:"
    yield model_table(tool.response)
    yield f"Users say: {'; '.join(tool.entry.common_phrases)}."
