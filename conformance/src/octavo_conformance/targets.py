"""Selects the vectors that a check uses for a plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from octavo_contracts import PluginManifest

from .checks import ANY_VECTOR, Check
from .vectors import GoldenVector, HostileVector, load_golden
from .vectors.fresh import make_fresh
from .vectors.hostile import HOSTILE_TYPES, hostile_of, load_hostile
from .vectors.stored import FAMILIES

ONE, FAMILY, LONG = "one", "family", "long"
"""Expensive checks use one vector, one of each family, or the fresh document of each format that has most bytes.

Of a family without stored vectors, such as rich text, the one is a fresh document.
"""
QUICK = 0.7
"""Seconds of a conversion of which dozens can be asked for."""
SMALL, LARGE, FIRST = "small", "large", "first"
"""A check of fresh documents may use only the small ones, only the large ones, or only the first small one of each format."""

Takes = Callable[[str], bool]


def types_asked(manifest: PluginManifest) -> tuple[str, ...]:
    """Return the media types of the documents that a host shows a plugin: those that it names, or all.

    A classifier that names none is asked for every document.
    """
    if manifest.media_types or "classify" not in manifest.hooks:
        return manifest.media_types
    return tuple(sorted({vector.media_type for vector in load_golden()}))


def vectors_of(
    check: Check,
    manifest: PluginManifest,
    *,
    seed: int,
    takes: Takes = lambda _: True,
    own: Sequence[GoldenVector] = (),
) -> Iterator[GoldenVector | HostileVector]:
    """Yield the vectors of a check for a plugin, in order; none for a check of the plugin as such.

    Args:
        check: the check.
        manifest: of the plugin: only vectors of the types that it is asked for apply.
        seed: seed of the fresh documents.
        takes: whether the vector with a path is selected.
        own: the author's vectors.
    """
    if check.scope == "plugin":
        return
    if check.scope == "hostile":
        types = {one.media_type: one.family for one in load_golden()} | HOSTILE_TYPES
        for family in sorted({family for media_type, family in types.items() if media_type in manifest.media_types}):
            yield from (
                bad for bad in load_hostile(family) if takes(bad.path) and check.vectors in (ANY_VECTOR, bad.kind)
            )
        for vector in _one_of_each_type(own):
            # A format of the suite has hostile documents made for it.
            if vector.media_type in manifest.media_types and vector.media_type not in types:
                yield from (
                    bad for bad in hostile_of(vector) if takes(bad.path) and check.vectors in (ANY_VECTOR, bad.kind)
                )
        return
    seen: set[str] = set()
    asked = types_asked(manifest)
    for vector in make_fresh(seed, asked) if check.scope == "fresh" else _stored(check, asked, seed=seed, own=own):
        if vector.media_type not in asked or not takes(vector.path):
            continue
        if check.vectors in (SMALL, LARGE):
            if is_large(vector) != (check.vectors == LARGE):
                continue
        elif check.vectors == LONG:
            if "/large." not in vector.path:
                continue
        elif check.vectors == FIRST:
            if "/fresh." not in vector.path:
                continue
        elif check.vectors in (ONE, FAMILY):
            if (check.vectors == ONE and seen) or vector.family in seen:
                continue
            seen.add(vector.family)
        elif check.vectors != ANY_VECTOR and not getattr(vector.expected, check.vectors):
            continue
        yield vector


def _stored(check: Check, asked: Sequence[str], *, seed: int, own: Sequence[GoldenVector]) -> Iterator[GoldenVector]:
    yield from load_golden()
    yield from own
    if check.vectors == FAMILY:
        yield from (vector for vector in make_fresh(seed, asked) if vector.family not in FAMILIES)


def is_large(vector: GoldenVector) -> bool:
    """Whether a fresh document has more rows, pages, bytes or parts than the others."""
    return "/large." in vector.path or "/many." in vector.path


def _one_of_each_type(vectors: Sequence[GoldenVector]) -> list[GoldenVector]:
    return list({vector.media_type: vector for vector in reversed(vectors)}.values())[::-1]
