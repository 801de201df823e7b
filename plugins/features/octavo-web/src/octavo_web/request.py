"""What a page of the web is asked for with."""

from __future__ import annotations

from dataclasses import dataclass

from octavo.conversion.options import ConvertOptions
from octavo.egress.gate import Owners


@dataclass(frozen=True, kw_only=True)
class PageRequest:
    """How a page is asked for.

    Attributes:
        options: of its conversion; a page that is doubted is converted by them.
        owners: who says whether a crawler elsewhere may be asked.
    """

    options: ConvertOptions
    owners: Owners
