"""The errors that a host program catches, from the contracts, where each is described."""

from __future__ import annotations

from octavo_contracts import OctavoError, PolicyRefused, StorageError, ToolUnavailable, UsageError

__all__ = ["OctavoError", "PolicyRefused", "StorageError", "ToolUnavailable", "UsageError"]
