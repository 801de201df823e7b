"""Model Context Protocol server for the tools of octavo-retrieval: one library and one corpus or policy context per server.

    with Library.open("library", create=False) as library:
        server = make_server(tools(library))

Importing this package imports neither the MCP SDK nor octavo-library: names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .http_app import HttpOptions, make_app
    from .mcp_server import make_server

__all__ = ["HttpOptions", "make_app", "make_server"]

__getattr__, __dir__ = lazily(
    __name__, {"HttpOptions": "http_app", "make_app": "http_app", "make_server": "mcp_server"}
)
