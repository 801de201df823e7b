"""What the list of commands says of this feature. Light: the list imports it."""

from __future__ import annotations

HELP = {"fields": "Extract literal values from a document, each with the place where it stands."}
"""Command → the first sentence of its help."""
