"""Settings of attachments: which documents inside documents a library ingests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, kw_only=True)
class AttachmentSettings:
    """Which documents inside documents a library ingests as documents of their own.

    Attributes:
        ingest: whether attachments are ingested.
        inline: whether pictures shown in the body, such as those of a signature, are ingested too.
        depth: maximum nesting: 1 for attachments of a message, 2 also for attachments of those.
        most: maximum number of attachments ingested from one document.
    """

    ingest: bool = True
    inline: bool = False
    depth: Annotated[int, Field(ge=1)] = 8
    most: Annotated[int, Field(ge=1)] = 500
