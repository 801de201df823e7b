"""What a host sets for the hooks that give a verdict: who classifies documents, and who scores conversions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, kw_only=True)
class HookSettings:
    """Which plugins are asked for a verdict, in which order.

    A plugin that has no opinion, fails or takes too long leaves the verdict to the next one. Octavo's own, `builtin`, is
    always the last; in a list it ends the list.

    Attributes:
        classify: plugins that say what a document is, first choice first; None takes those that are installed, by the
            priority of their manifests.
        score_quality: plugins that score conversions, likewise.
        seconds: time that the plugins asked for one verdict may take together.
    """

    classify: tuple[str, ...] | None = None
    score_quality: tuple[str, ...] | None = None
    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60.0
