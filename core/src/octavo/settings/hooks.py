"""Settings of the verdict hooks: which plugins classify documents and score conversions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


@dataclass(frozen=True, kw_only=True)
class HookSettings:
    """Which plugins are called for a verdict, in which order.

    If a plugin has no opinion, fails or times out, the next one is called. The built-in plugin, `builtin`, is always
    the last; in a list it ends the list.

    Attributes:
        classify: plugins that classify documents, first choice first; None: the installed ones, by the priority of
            their manifests.
        score_quality: plugins that score conversions, likewise.
        seconds: time budget of all plugins called for one verdict.
    """

    classify: tuple[str, ...] | None = None
    score_quality: tuple[str, ...] | None = None
    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60.0
