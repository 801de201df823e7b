"""`octavo.convert`, light enough to begin before the rest of Octavo is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..plugins.prestart import start_workers_ahead

if TYPE_CHECKING:
    import threading

    from ..documents.given_bytes import SourceLike
    from ..runtime import Runtime
    from .results import ConvertedDocument


def convert(
    source: SourceLike,
    *,
    name: str | None = None,
    plugin: str | None = None,
    profile: str | None = None,
    password: str | None = None,
    timeout: float | None = None,
    cancel: threading.Event | None = None,
    runtime: Runtime | None = None,
) -> ConvertedDocument:
    """Convert a document and say how well that went; nothing is kept.

    Never raises for a document: one that cannot be converted gives a `hard_failed` result with a receipt, and no text.

    Args:
        source: a path, the URL of a page (see `WebSettings`), bytes, or a file-like object, which is read to its end.
        name: the name of bytes that have no path; its extension helps to tell text formats apart. A file-like object has
            its own.
        plugin: convert with this plugin.
        profile: routing rules.
        password: of an encrypted document.
        timeout: seconds a plugin may take.
        cancel: set it from another thread to stop.
        runtime: plugins and workers; by default one shared by the process.

    Returns:
        The document's `markdown`, its canonical `text`, and the `result`: everything else that is known of it.

    Raises:
        UsageError: no such plugin or profile; bytes without a name; or a file-like object that cannot be read.
    """
    if runtime is None:
        start_workers_ahead()
    from .options import ConvertOptions
    from .results import convert_source

    options = ConvertOptions(plugin=plugin, profile=profile, password=password, timeout=timeout, cancel=cancel)
    return convert_source(source, options, name=name, runtime=runtime)
