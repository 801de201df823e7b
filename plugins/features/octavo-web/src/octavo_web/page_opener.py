"""Pages of the web for conversions without a library: the opener that the core finds by its entry point."""

from __future__ import annotations

import threading
from weakref import WeakKeyDictionary

from octavo.conversion.options import ConvertOptions
from octavo.documents.source import Source
from octavo.runtime import Runtime
from octavo_sandbox.egress import CloudRequest

from .pages import WebPages

_pages: WeakKeyDictionary[Runtime, WebPages] = WeakKeyDictionary()
_lock = threading.Lock()


def open_page(url: str, options: ConvertOptions, runtime: Runtime) -> Source:
    """Fetch a page as the runtime's settings allow. Pages of one runtime share the pauses between requests to a host.

    Args:
        url: http or https.
        options: of its conversion.
        runtime: its settings say what may be fetched.

    Raises:
        OctavoError: as `WebPages.open`.
    """
    with _lock:
        pages = _pages.get(runtime)
        if pages is None:
            pages = _pages[runtime] = WebPages(runtime, closing=runtime.closing)
    return pages.open(url, options, lambda: (CloudRequest(source_outbound=True),))
