"""Settings of briefs: what is known of a document before it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, kw_only=True)
class BriefSettings:
    """How a library keeps briefs (INT-1, INT-2).

    Attributes:
        in_background: whether ingestion has the brief of each document made in the background; a corpus and a run may
            say otherwise. By default a brief is made when it is first asked for.
        max_days: a stored brief is made again after this many days.
    """

    in_background: bool = False
    max_days: Annotated[float, Field(gt=0)] = 30.0
