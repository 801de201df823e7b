"""Help texts for the command list. Has no imports, because the list imports it."""

from __future__ import annotations

HELP = {"mcp": "Serve a library to an assistant, over the Model Context Protocol."}
"""As `octavo_library.commands.HELP`."""
