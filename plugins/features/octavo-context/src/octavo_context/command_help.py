"""Help texts for the command list. Has no imports, because the list imports it."""

from __future__ import annotations

HELP = {"context": "Prepare documents for a language model, within a token budget."}
"""Command → first sentence of its help."""
