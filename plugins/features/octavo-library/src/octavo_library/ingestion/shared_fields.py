"""Removes the names that one policy context uses from the files that all contexts share (STO-5).

Messages of engines quote file names, some engines label a table by them, and a route names the corpus and the profile
of the request. Every policy context that has the bytes reads a version's files, so these names are replaced before the
files are written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, TypeVar

from octavo.documents.source import Source
from octavo.profiles.profile import NEUTRAL_PROFILES
from octavo_contracts import Conversion, IngestionResult, Model, PageAnchorMap

from .requests import IngestRequest

M = TypeVar("M", bound=Model)

_DOCUMENT, _ASKER = "the document", "its own"
_LONG = 15
_SECONDS = re.compile(r"\b(?:the )?\d+(?:\.\d+)?(?:e[+-]?\d+)? s\b")
_GIVEN_TIME = "the time that the caller gave"


def shareable_result(
    result: IngestionResult, source: Source, request: IngestRequest, *, profile: str
) -> IngestionResult:
    """Replace the private names of a request in a result.

    Args:
        result: the result of the conversion.
        source: the opened document.
        request: the request.
        profile: name of the profile that routed it.
    """
    names = {name for name in (source.display, source.name, str(source.path or "")) if _is_telling(name)}
    asker = {profile} - set(NEUTRAL_PROFILES)
    if request.options.profile is not None:
        asker |= {request.options.profile} - set(NEUTRAL_PROFILES)
    replaced = [*((name, _DOCUMENT) for name in names), *((name, _ASKER) for name in asker)]
    replaced += _verdicts(request)
    pairs = ((name, instead) for name, instead in replaced if name)
    redactor = _Redactor(pairs, timed=request.options.timeout is not None)
    stems = _stems(source)
    anchors = [
        anchor.model_copy(update={"label": None}) if anchor.label in stems else anchor
        for anchor in result.page_anchor_map.anchors()
    ]
    return result.model_copy(
        update={
            "page_anchor_map": PageAnchorMap(tuple(anchors)),
            "quality_report": redactor.redact(result.quality_report, keep=("source_ref",)),
            "failure_receipts": tuple(redactor.redact(one) for one in result.failure_receipts),
            "attempts": tuple(redactor.redact(one) for one in result.attempts),
        }
    )


def shareable_reason(because: str, request: IngestRequest) -> str:
    """Why a plugin was chosen, without the author, date and note of a verdict in a routing review."""
    for own, shared in _verdicts(request):
        because = because.replace(own, shared)
    return because


def _verdicts(request: IngestRequest) -> list[tuple[str, str]]:
    """The private reason of each standing verdict, and its shareable replacement."""
    preferred = (one for _, one in request.options.preferences)
    return [(one.because, one.shared) for one in preferred if one.shared is not None]


def shareable_conversion(conversion: Conversion, source: Source) -> Conversion:
    """Remove page labels that repeat the name of the file."""
    stems = _stems(source)
    if all(page.label not in stems for page in conversion.pages):
        return conversion
    pages = (page.model_copy(update={"label": None}) if page.label in stems else page for page in conversion.pages)
    return conversion.model_copy(update={"pages": tuple(pages)})


def _is_telling(name: str) -> bool:
    """Whether a name is distinctive: `page`, for example, would be replaced in every sentence about pages."""
    return "." in name or "/" in name or len(name) > _LONG


def _stems(source: Source) -> set[str]:
    """The document's names without extension: that of the user and that of the worker."""
    return {PurePath(name).stem for name in (source.name, source.worker_name) if name is not None}


def _whole(word: str) -> str:
    """A pattern for a whole word; a plain word does not match in a media type: a profile may be called `plain`."""
    before = r"(?<!\w)" if _is_telling(word) else r"(?<![\w/])"
    return rf"{before}{re.escape(word)}(?!\w)"


class _Redactor:
    """Replaces words in models; the longest first, so that a path is replaced before the name in it.

    Args:
        replaced: each word with its replacement.
        timed: whether the caller set a timeout, which messages quote.
    """

    def __init__(self, replaced: Iterable[tuple[str, str]], *, timed: bool) -> None:
        self._instead = dict(replaced)
        self._timed = timed
        longest_first = sorted(self._instead, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_whole, longest_first)) or r"(?!)")

    def redact(self, model: M, *, keep: tuple[str, ...] = ()) -> M:
        """Replace the words in all texts of a model, except in the fields `keep`; the same model if none occurs."""
        kept = model.model_dump(mode="json")
        redacted = {name: value if name in keep else self._text(value) for name, value in kept.items()}
        return model if redacted == kept else type(model).model_validate_json(json.dumps(redacted))

    def _text(self, value: Any) -> Any:
        if isinstance(value, str):
            value = self._pattern.sub(lambda match: self._instead[match[0]], value)
            return _SECONDS.sub(_GIVEN_TIME, value) if self._timed else value
        if isinstance(value, list):
            return [self._text(one) for one in value]
        if isinstance(value, dict):
            return {key: self._text(one) for key, one in value.items()}
        return value
