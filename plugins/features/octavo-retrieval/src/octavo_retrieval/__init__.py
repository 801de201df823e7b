"""Typed tools that let a model read and search the documents of a library.

    with Library.open("library", create=False) as library:
        offered = tools(library)
        answer = offered.call("search_documents", {"query": "tide gauge"})

Importing this package does not import octavo-library or the data models: names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .document_tools import tools
    from .failures import Failure, FailureCode, ToolFailure
    from .memories import MemorySource, MemorySources
    from .posture import POSTURE, posture_marker
    from .receipts import Receipt
    from .registry import ActionRegistryEntry
    from .scope import Scope
    from .specialist_rosters import rosters
    from .toolset import CallContext, Tool, ToolResult, Toolset

__all__ = [
    "POSTURE",
    "ActionRegistryEntry",
    "CallContext",
    "Failure",
    "FailureCode",
    "MemorySource",
    "MemorySources",
    "Receipt",
    "Scope",
    "Tool",
    "ToolFailure",
    "ToolResult",
    "Toolset",
    "posture_marker",
    "rosters",
    "tools",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "POSTURE": "posture",
        "ActionRegistryEntry": "registry",
        "CallContext": "toolset",
        "Failure": "failures",
        "FailureCode": "failures",
        "MemorySource": "memories",
        "MemorySources": "memories",
        "Receipt": "receipts",
        "Scope": "scope",
        "Tool": "toolset",
        "ToolFailure": "failures",
        "ToolResult": "toolset",
        "Toolset": "toolset",
        "posture_marker": "posture",
        "rosters": "specialist_rosters",
        "tools": "document_tools",
    },
)
