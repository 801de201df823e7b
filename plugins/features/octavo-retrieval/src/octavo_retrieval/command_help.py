"""Help texts for the command list. Has no imports, because the list imports it."""

from __future__ import annotations

HELP = {"tools": "List and call the tools with which a model reads a library."}
"""As `octavo_library.commands.HELP`."""
