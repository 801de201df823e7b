"""Documents are generated once: several checks, and all mutants of a matrix, ask for those of the same seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, update_wrapper
from typing import Concatenate, ParamSpec, TypeVar

_Options = ParamSpec("_Options")
_Made = TypeVar("_Made")
_KEPT = 8
"""Sets of documents that are kept of each maker: those of a run, or of the few kinds of plugins of a matrix."""


def generated_once(
    make: Callable[Concatenate[int, Sequence[str], _Options], Iterable[_Made]],
) -> Callable[Concatenate[int, Sequence[str], _Options], tuple[_Made, ...]]:
    """Return a maker of documents of a seed and of media types that keeps what it made."""

    @lru_cache(maxsize=_KEPT)
    def kept(
        seed: int, media_types: tuple[str, ...], /, *args: _Options.args, **options: _Options.kwargs
    ) -> tuple[_Made, ...]:
        return tuple(make(seed, media_types, *args, **options))

    def made(
        seed: int, media_types: Sequence[str], /, *args: _Options.args, **options: _Options.kwargs
    ) -> tuple[_Made, ...]:
        return kept(seed, tuple(media_types), *args, **options)  # type: ignore[arg-type]  # a maker's options are numbers

    update_wrapper(made, make)
    return made
