"""Entities: observations with spans, and the rules by which an entity counts as confirmed (ENT-1, ENT-2).

    library.ingest("letter.txt", corpus="case", entities=True)
    for entity in library.entities.list(corpus="case"):
        print(entity.name, entity.status, entity.reason)

An engine's mention is only an observation. `octavo_library.entities.promotion` decides when it becomes a confirmed
entity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .checking import check_observations
    from .names import NormalForm, normal_form
    from .opt_in import OptIn, opted_in
    from .promotion import PromotionDecision, judge, standing

__all__ = [
    "NormalForm",
    "OptIn",
    "PromotionDecision",
    "check_observations",
    "judge",
    "normal_form",
    "opted_in",
    "standing",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "NormalForm": "names",
        "OptIn": "opt_in",
        "PromotionDecision": "promotion",
        "check_observations": "checking",
        "judge": "promotion",
        "normal_form": "names",
        "opted_in": "opt_in",
        "standing": "promotion",
    },
)
