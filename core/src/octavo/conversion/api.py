"""`octavo.convert`, light enough to begin before the rest of Octavo is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..plugins.prestart import start_workers_ahead

if TYPE_CHECKING:
    import os
    import threading

    from ..runtime import Runtime
    from .results import ConvertedDocument


def convert(
    source: str | os.PathLike[str] | bytes,
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
        source: a path, or the document's bytes.
        name: the name of bytes that have no path; its extension helps to tell text formats apart.
        plugin: convert with this plugin.
        profile: routing rules.
        password: of an encrypted document.
        timeout: seconds a plugin may take.
        cancel: set it from another thread to stop.
        runtime: plugins and workers; by default one shared by the process.

    Returns:
        The document's `markdown`, its canonical `text`, and the `result`: everything else that is known of it.

    Raises:
        UsageError: no such plugin or profile.
    """
    if runtime is None:
        start_workers_ahead()
    from .options import ConvertOptions
    from .results import convert_source

    options = ConvertOptions(plugin=plugin, profile=profile, password=password, timeout=timeout, cancel=cancel)
    return convert_source(source, options, name=name, runtime=runtime)
