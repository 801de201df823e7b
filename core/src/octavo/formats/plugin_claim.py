"""A format of a plugin's own, as the host hands it to the worker that inspects a document."""

from __future__ import annotations

from octavo_contracts import FormatClaim, Model
from pydantic import Field


class PluginClaim(Model):
    """A format and the plugin that claims it."""

    plugin: str = Field(description="Name of the plugin.")
    format: FormatClaim = Field(description="The format.")
