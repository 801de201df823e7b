"""Settings of page repair: when a page of a conversion is converted again by another plugin (CNV-2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, kw_only=True)
class RepairSettings:
    """When a page is in doubt.

    Attributes:
        enabled: whether doubted pages are converted again, and lost tables are looked for.
        min_page_yield: a page that gives less than this share of its text layer's characters lost text.
        min_layer_chars: of a text layer shorter than this nothing is concluded: page numbers come and go.
        max_page_junk: a page with more than this share of unmapped characters is garbled.
        tables_up_to: pages of a document that is read again for lost tables.
        all_plugins_up_to: pages of a document that more than one plugin is asked about for lost tables: each reads all
            of it.
    """

    enabled: bool = True
    min_page_yield: Annotated[float, Field(ge=0, le=1)] = 0.5
    min_layer_chars: Annotated[int, Field(ge=0)] = 40
    max_page_junk: Annotated[float, Field(ge=0, le=1)] = 0.10
    tables_up_to: Annotated[int, Field(ge=0)] = 1000
    all_plugins_up_to: Annotated[int, Field(ge=0)] = 40


DEFAULT_REPAIR = RepairSettings()
