"""Settings of known bytes that are ingested again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class DuplicateSettings:
    """When the ingestion of known bytes pauses for a decision of the user (ENG-21).

    Attributes:
        compare: fields of declared metadata: `title`, `date` and `source`. The ingestion of known bytes pauses if it
            declares another value for one of them than was declared before under the same policy. Empty: never.
    """

    compare: tuple[Literal["title", "date", "source"], ...] = ("title", "date", "source")
