"""Recognition of pages without a trustworthy text layer (OCR-1 … OCR-6).

need.py        which pages to look at, from what classification and conversion saw (host)
worker.py      looking at pages and rendering them (sandboxed)
rendering.py   pages and pictures as grey pixels, their fingerprint, their PNG (sandboxed)
engines.py     which engines, in which order
remote.py      engines across the network: the gate, the one address, time and cancellation
recognition.py what is to be recognised, and what came of it
cascade.py     the step: which pages, and what came of all
asking.py      each page: rendered, looked up, else recognised; a second engine where the first is doubtful
in_pictures.py the same for the pictures inside office documents
embedded.py    the pictures inside office documents (sandboxed)
pictures.py    what they say, put where they stand
text.py        recognised text as markdown
reading.py     whether a result is text at all, and which of two is better
merging.py     the recognised pages put in the places of the ones they were read from
pages_store.py where recognised pages are kept, for all documents that have the page
on_request.py  recognition that somebody asks for, of a file or a document
on_library.py  what a library offers: many documents, in the foreground or behind everything else
behind.py      runs on threads of their own
searchable.py  a copy of a PDF with an invisible text layer (sandboxed)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import lazily

if TYPE_CHECKING:
    from ..egress.gate import Owners
    from . import merging
    from .cascade import recognise
    from .in_pictures import derive_texts
    from .options import AUTOMATIC, OcrOptions, OcrSettings
    from .pages_store import LibraryPages, MemoryPages, PagesStore
    from .recognition import NOTHING, PageReading, Recognition, Task

__all__ = [
    "AUTOMATIC",
    "NOTHING",
    "LibraryPages",
    "MemoryPages",
    "OcrOptions",
    "OcrSettings",
    "Owners",
    "PageReading",
    "PagesStore",
    "Recognition",
    "Task",
    "derive_texts",
    "merging",
    "recognise",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "AUTOMATIC": "options",
        "NOTHING": "recognition",
        "LibraryPages": "pages_store",
        "MemoryPages": "pages_store",
        "OcrOptions": "options",
        "OcrSettings": "options",
        "Owners": "remote",
        "PageReading": "recognition",
        "PagesStore": "pages_store",
        "Recognition": "recognition",
        "Task": "recognition",
        "derive_texts": "in_pictures",
        "recognise": "cascade",
    },
)
