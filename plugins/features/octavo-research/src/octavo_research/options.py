"""Options of a research run, stored with it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Self

from octavo_contracts import UsageError


@dataclass(frozen=True, kw_only=True)
class ResearchOptions:
    """Options of a run.

    Attributes:
        model: `none`: extractive, without a language model. No other value is known yet.
        max_minutes: minutes after which a run gathers no more and writes the report from what it has; None: no ceiling.
        max_sources: sources that are read, the best ones first, at least 1.
        max_claims: claims in the report, at least 1.
        max_rounds: rounds of gathering, at least 1.
    """

    model: str = "none"
    max_minutes: float | None = None
    max_sources: int = 8
    max_claims: int = 12
    max_rounds: int = 2

    def __post_init__(self) -> None:
        if self.model != "none":
            raise UsageError(f"model {self.model!r} is not supported", remedy="Use --model none")
        if self.max_minutes is not None and not self.max_minutes > 0:
            raise UsageError(f"max_minutes must be a positive number, got {self.max_minutes}")
        for name in ("max_sources", "max_claims", "max_rounds"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, got {getattr(self, name)}")

    def to_json(self) -> str:
        """The options as they are stored."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The options of a stored run; options of a newer Octavo are ignored."""
        given = json.loads(text)
        return cls(**{name: given[name] for name in cls.__dataclass_fields__ if name in given})
