"""`octavo.convert` and `octavo.extract`, light enough to begin before the rest of Octavo is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..plugins.prestart import start_workers_ahead

if TYPE_CHECKING:
    import os
    import threading

    from octavo_contracts import IngestionResult

    from ..runtime import Runtime
    from .results import ConvertedDocument


def convert(
    source: str | os.PathLike[str] | bytes,
    *,
    name: str | None = None,
    with_: str | None = None,
    profile: str | None = None,
    password: str | None = None,
    timeout: float | None = None,
    cancel: threading.Event | None = None,
    runtime: Runtime | None = None,
) -> IngestionResult:
    """Convert a document and say how well that went; nothing is kept.

    Never raises for a document: one that can not be converted gives a `hard_failed` result with a receipt.

    Args:
        source: a path, or the document's bytes.
        name: the name of bytes that have no path; its extension helps to tell text formats apart.
        with_: convert with this plugin.
        profile: routing rules.
        password: of an encrypted document.
        timeout: seconds a plugin may take.
        cancel: set it from another thread to stop.
        runtime: plugins and workers; by default one shared by the process.

    Raises:
        UsageError: no such plugin or profile.
    """
    return extract(
        source,
        name=name,
        with_=with_,
        profile=profile,
        password=password,
        timeout=timeout,
        cancel=cancel,
        runtime=runtime,
    ).result


def extract(
    source: str | os.PathLike[str] | bytes,
    *,
    name: str | None = None,
    with_: str | None = None,
    profile: str | None = None,
    password: str | None = None,
    timeout: float | None = None,
    cancel: threading.Event | None = None,
    runtime: Runtime | None = None,
) -> ConvertedDocument:
    """As `convert`, with the texts.

    Raises:
        UsageError: no such plugin or profile.
    """
    if runtime is None:
        start_workers_ahead()
    from . import results as conversion
    from .options import ConvertOptions

    options = ConvertOptions(
        overrides=((with_, "the caller"),) if with_ else (),
        profile=profile,
        password=password,
        timeout=timeout,
        cancel=cancel,
    )
    return conversion.extract(source, options, name=name, runtime=runtime)
