"""`tools/list` and `tools/call`. All schemas are closed, and every call is answered."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from octavo_retrieval import CallContext, Tool, ToolFailure, ToolResult, Toolset

RECEIPT_META = "octavo.dev/receipt"
"""Key of the receipt in the `_meta` of a result."""

FAILURE_META = "octavo.dev/failure"
"""Key of the failure, with its code, in the `_meta` of a result that is an error."""

_log = logging.getLogger("octavo.mcp")

Context = ServerRequestContext[Any]


def described(tool: Tool) -> types.Tool:
    """Describe a tool for clients."""
    reads = tool.group != "ingest"
    return types.Tool(
        name=tool.name,
        title=tool.entry.display_name,
        description=tool.entry.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            title=tool.entry.display_name,
            read_only_hint=reads,
            destructive_hint=False,
            idempotent_hint=reads,
            open_world_hint=False,
        ),
    )


async def call(toolset: Toolset, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    """Answer a call. A failure is a result with `isError`, so that no request ends the server."""
    loop = asyncio.get_running_loop()

    def progress(done: float, total: float, what: str) -> None:
        asyncio.run_coroutine_threadsafe(context.session.report_progress(done, total, what), loop)

    try:
        await context.session.report_progress(0, 1, params.name[:100])
        given = CallContext(progress=progress)
        result = await toolset.acall(params.name, params.arguments, context=given)
        await context.session.report_progress(1, 1, result.receipt.line)
        return _answer(result)
    except ToolFailure as failure:
        return _failed(failure.failure.model_dump(mode="json"))
    except Exception:  # noqa: BLE001 - dispatch: a bug in one tool must not end the server; the client gets no details
        _log.exception("the tool %s failed", params.name[:100])
        return _failed(
            {
                "code": "internal_error",
                "message": "The tool failed; the server's log has the reason",
                "remedy": "Tell the user; another call will not help",
            }
        )


def _answer(result: ToolResult) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=result.text or result.value.to_json())],
        structured_content=result.as_dict(),
        _meta={RECEIPT_META: json.loads(result.receipt.to_json())},
    )


def _failed(failure: dict[str, Any]) -> types.CallToolResult:
    text = f"{failure['message']}. {failure['remedy']}. [{failure['code']}]"
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], is_error=True, _meta={FAILURE_META: failure}
    )
