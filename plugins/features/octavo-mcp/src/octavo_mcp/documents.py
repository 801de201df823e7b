"""Documents and pages as resources: `octavo://document/ID` and `octavo://document/ID/page/N`."""

from __future__ import annotations

import re
from typing import Any

import mcp_types as types
from mcp import MCPError
from octavo_retrieval import ToolFailure, Toolset

LISTED_AT_ONCE = 50
"""Documents per page of `resources/list`."""

WHOLE = 2_000_000
"""Most tokens of a resource."""

_URI = re.compile(r"octavo://document/([0-9A-Za-z-]{6,64})(?:/page/([1-9][0-9]{0,8}))?")

TEMPLATES = (
    types.ResourceTemplate(
        name="document",
        title="Document",
        uri_template="octavo://document/{document_id}",
        description="A document of the library, whole, as markdown.",
        mime_type="text/markdown",
    ),
    types.ResourceTemplate(
        name="page",
        title="Page of a document",
        uri_template="octavo://document/{document_id}/page/{page}",
        description="One page of a document, as markdown; pages count from 1.",
        mime_type="text/markdown",
    ),
)


def listed(toolset: Toolset, cursor: str | None) -> types.ListResourcesResult:
    """One page of the list of documents with content.

    Raises:
        MCPError: the cursor is invalid.
    """
    try:
        found: Any = toolset.call("list_documents", {"limit": LISTED_AT_ONCE} | ({"cursor": cursor} if cursor else {}))
    except ToolFailure as failure:
        raise MCPError(types.INVALID_PARAMS, f"{failure.message}. {failure.remedy}.") from None
    return types.ListResourcesResult(
        resources=[
            types.Resource(
                name=one.document_id,
                title=one.document_title,
                uri=f"octavo://document/{one.document_id}",
                description=f"{one.media_type or 'unknown type'}, {one.status}",
                mime_type="text/markdown",
            )
            for one in found.value.documents
            if one.readable
        ],
        next_cursor=found.value.next_cursor,
    )


def read(toolset: Toolset, uri: str) -> types.ReadResourceResult:
    """Read the markdown of a document or of one page.

    Raises:
        MCPError: the resource does not exist or is invisible to the caller.
    """
    match = _URI.fullmatch(uri)
    if match is None:
        raise _missing(uri, "There is no such resource: a URI is octavo://document/ID or octavo://document/ID/page/N")
    document_id, page = match.groups()
    arguments: dict[str, Any] = {"document_id": document_id, "max_tokens": WHOLE}
    name = "retrieve_full_document"
    if page is not None:
        name, arguments["pages"] = "retrieve_document_pages", [int(page)]
    try:
        answer: Any = toolset.call(name, arguments)
    except ToolFailure as failure:
        raise _missing(uri, f"{failure.message}. {failure.remedy}.") from None
    contents = types.TextResourceContents(uri=uri, mime_type="text/markdown", text=answer.value.content)
    return types.ReadResourceResult(contents=[contents])


def _missing(uri: str, message: str) -> MCPError:
    return MCPError(types.INVALID_PARAMS, message, data={"uri": uri[:500]})
