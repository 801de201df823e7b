"""`octavo.convert`, in a light module so that workers can start before the rest of Octavo is imported."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading

    from ..documents.source import SourceLike
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
    """Convert a document and report its quality; nothing is stored.

    A bad document never raises: one that cannot be converted gives a `hard_failed` result with a receipt, and no text.

    Args:
        source: a path, the URL of a page (see `WebSettings`), bytes, or a file-like object, which is read to its end.
        name: file name for bytes that have no path; its extension helps to detect text formats. A file-like object has
            its own.
        plugin: the plugin to convert with.
        profile: name of the routing profile.
        password: password of an encrypted document.
        timeout: seconds that a plugin may take.
        cancel: event that stops the conversion when another thread sets it.
        runtime: plugins and workers; by default one shared by the process.

    Returns:
        The document's `markdown`, its canonical `text`, and the `result` with everything else that is known about the
        document.

    Raises:
        UsageError: the plugin or profile does not exist; bytes without a name; or a file-like object that cannot be read.
    """
    if runtime is None and "octavo.runtime" not in sys.modules:
        from ..plugins.prestart import start_workers_ahead

        start_workers_ahead()
    from .options import ConvertOptions
    from .results import convert_source

    options = ConvertOptions(plugin=plugin, profile=profile, password=password, timeout=timeout, cancel=cancel)
    return convert_source(source, options, name=name, runtime=runtime)
