"""Help texts for the command list. Has no imports, because the list imports it."""

from __future__ import annotations

HELP = {"web": "Show a library in the browser."}
"""As `octavo_library.commands.HELP`."""
