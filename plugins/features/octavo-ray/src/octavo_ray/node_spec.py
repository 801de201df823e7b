"""What a supervisor tells the process that converts on its node. Only the standard library is imported."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class NodeSpec:
    """The work of a node.

    Attributes:
        library: folder or URL of the library.
        settings: dotted key → value, as flags of `load_settings`; with the URL of the index, so it is sent by a pipe and
            never as an argument, which other users can see.
        slots: documents converted in parallel; None: one per core of the node.
        owner: the name under which the process that asked for the run has the library open.
    """

    library: str
    settings: Mapping[str, Any]
    slots: int | None
    owner: str

    def to_json(self) -> str:
        """The specification as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> NodeSpec:
        """Read the specification."""
        return cls(**json.loads(line))
