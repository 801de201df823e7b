"""What the list of commands says of this feature. Light: the list imports it."""

from __future__ import annotations

HELP = {"research": "Research a question over the library, with a report whose quotations can be verified."}
"""Command → the first sentence of its help."""
