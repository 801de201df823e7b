"""Help texts for the command list. Has no imports, because the list imports it."""

from __future__ import annotations

HELP = {"memory": "Write, search and verify statements that are anchored in documents."}
"""As `octavo_library.commands.HELP`."""
