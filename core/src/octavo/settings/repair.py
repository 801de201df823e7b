"""Settings of page repair: when another plugin converts a page of a conversion again (CNV-2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, kw_only=True)
class RepairSettings:
    """When a page is suspect.

    Attributes:
        enabled: whether suspect pages are converted again, and other readers are asked for a consensus.
        min_page_yield: a page with less than this share of its text layer's characters lost text.
        min_layer_chars: shorter text layers are not judged, since page numbers and the like may be dropped.
        max_page_junk: a page with more than this share of unmapped characters is garbled.
        tables_up_to: maximum number of pages of a document that other readers read for a consensus.
        all_plugins_up_to: maximum number of pages that further readers read, once two have. A third one that reads the disputed
            pages alone has no such limit.
    """

    enabled: bool = True
    min_page_yield: Annotated[float, Field(ge=0, le=1)] = 0.5
    min_layer_chars: Annotated[int, Field(ge=0)] = 40
    max_page_junk: Annotated[float, Field(ge=0, le=1)] = 0.10
    tables_up_to: Annotated[int, Field(ge=0)] = 1000
    all_plugins_up_to: Annotated[int, Field(ge=0)] = 40


DEFAULT_REPAIR = RepairSettings()
