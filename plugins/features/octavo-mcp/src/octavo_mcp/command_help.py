"""What the list of commands says of this feature. Light: the list imports it."""

from __future__ import annotations

HELP = {"mcp": "Serve a library to an assistant, over the Model Context Protocol."}
"""As `octavo_library.commands.HELP`."""
