"""Settings of attachments: which documents inside documents a library ingests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, kw_only=True)
class AttachmentSettings:
    """Which documents inside documents a library takes in, as documents of their own.

    Attributes:
        ingest: whether it takes any in.
        inline: whether also pictures that the body shows, such as those of a signature.
        depth: how many messages deep: at 1 what is attached to a message, at 2 also what is attached to that.
        most: of one document, at most so many.
    """

    ingest: bool = True
    inline: bool = False
    depth: Annotated[int, Field(ge=1)] = 8
    most: Annotated[int, Field(ge=1)] = 500
