"""Checks that the nodes of a cluster can share a library."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from octavo_cli.toolkit.output import note
from octavo_contracts import UsageError

if TYPE_CHECKING:
    from octavo_library import Library

    from .cluster import Node

_MANY = 5


def check_reachable(library: Library, given: str, nodes: Sequence[Node]) -> str:
    """The place of a library as the nodes open it.

    A library in a folder is opened by the same path on each node; whether that is the same folder is checked there. An
    index in SQLite belongs to one machine: its locks do not hold across a network.

    Args:
        library: the open library.
        given: its folder or URL, as the user named it.
        nodes: the nodes that may get a supervisor.

    Raises:
        UsageError: the index is in SQLite, and a node is on another machine.
    """
    context = library.context
    elsewhere = sorted({node.host for node in nodes if not node.is_here})
    if elsewhere and context.index.url.get_backend_name() == "sqlite":
        raise UsageError(
            f"the index of the library at {context.place} is a SQLite file, which other machines cannot share "
            f"({_shown(elsewhere)})",
            remedy="Give --index with the URL of a PostgreSQL database, for a new library, or use the nodes of this machine "
            "alone: --ray-address local",
        )
    if not context.artifacts.store.is_shared:
        return os.path.abspath(given)
    if elsewhere and context.runtime.settings.objects.originals == "reference":
        note(
            "octavo: originals are not stored in the library, so the nodes must be able to read the documents at their paths; "
            "OCTAVO_OBJECTS__ORIGINALS=stored sends them the bytes"
        )
    return given


def _shown(hosts: Sequence[str]) -> str:
    return ", ".join(hosts[:_MANY]) + (" …" if len(hosts) > _MANY else "")
