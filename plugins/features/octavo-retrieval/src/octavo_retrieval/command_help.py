"""What the list of commands says of this feature. Light: the list imports it."""

from __future__ import annotations

HELP = {"tools": "List and call the tools with which a model reads a library."}
"""As `octavo_library.commands.HELP`."""
