"""Entities: observations with spans, and what makes one of them count as confirmed (ENT-1, ENT-2).

    library.ingest("letter.txt", corpus="case", entities=True)
    for entity in library.entities(corpus="case"):
        print(entity.name, entity.status, entity.reason)

An engine's mention is an observation and nothing more. `octavo.entities.promotion` says when it becomes an entity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import lazily

if TYPE_CHECKING:
    from .checking import Checked, Mention, check_observations
    from .names import NormalForm, normal_form
    from .optin import OptIn, opted_in
    from .promotion import Decision, Verdict, judge, standing
    from .settings import EntitySettings

__all__ = [
    "Checked",
    "Decision",
    "EntitySettings",
    "Mention",
    "NormalForm",
    "OptIn",
    "Verdict",
    "check_observations",
    "judge",
    "normal_form",
    "opted_in",
    "standing",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Checked": "checking",
        "Decision": "promotion",
        "EntitySettings": "settings",
        "Mention": "checking",
        "NormalForm": "names",
        "OptIn": "optin",
        "Verdict": "promotion",
        "check_observations": "checking",
        "judge": "promotion",
        "normal_form": "names",
        "opted_in": "optin",
        "standing": "promotion",
    },
)
