"""Names of the plugin and of its options."""

from __future__ import annotations

PLUGIN = "vision"
TABLE = "[plugins.vision]"
"""Table of a settings file with the options of this plugin."""
