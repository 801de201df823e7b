"""What the list of commands says of this feature. Light: the list imports it."""

from __future__ import annotations

HELP = {"context": "Prepare documents for a language model: the right form, within a budget."}
"""Command → the first sentence of its help."""
