"""Help lines of this feature's commands. Kept light: the list of commands imports it."""

from __future__ import annotations

HELP = {
    "digest": "Compress a document for a query, with quotations that can be verified.",
    "verify": "Check every quotation of a digest against the archived text.",
}
"""As `octavo_library.commands.HELP`."""
