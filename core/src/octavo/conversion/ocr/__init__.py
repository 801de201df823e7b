"""Recognition of pages without a trustworthy text layer (OCR-1 … OCR-6).

needs_ocr.py          which pages to look at, from what classification and conversion saw (host)
worker.py             looking at pages and rendering them (sandboxed)
rendering.py          pages and pictures as grey pixels, their fingerprint, their PNG (sandboxed)
engines.py            which engines, in which order
remote.py             engines across the network: the gate, the one address, time and cancellation
recognition.py        what is to be recognised of a document, and the result
cascade.py            the step: which pages, and the results of all
page_recogniser.py    each page: rendered, looked up, else recognised; a second engine where the first is doubtful
in_pictures.py        the same for the pictures inside office documents
embedded.py           the pictures inside office documents (sandboxed)
pictures.py           what they say, put where they stand
recognised_markdown.py recognised text as markdown
answer_quality.py     whether a result is text at all, and which of two is better
merge.py              the recognised pages put in the places of the ones they were read from
page_cache.py         a cache of recognised pages for one document
readings_record.py    the recognised pages of a stored version, as a file
inherit_options.py    a reconversion inherits the OCR options of the active version
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._lazy import lazily

if TYPE_CHECKING:
    from .cascade import recognise
    from .in_pictures import derive_texts, recognise_pictures
    from .page_cache import MemoryPages, PagesStore
    from .recognition import NOTHING, PageReading, Recognition, RecognitionTask

__all__ = [
    "NOTHING",
    "MemoryPages",
    "PageReading",
    "PagesStore",
    "Recognition",
    "RecognitionTask",
    "derive_texts",
    "recognise",
    "recognise_pictures",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "NOTHING": "recognition",
        "MemoryPages": "page_cache",
        "PageReading": "recognition",
        "PagesStore": "page_cache",
        "Recognition": "recognition",
        "RecognitionTask": "recognition",
        "derive_texts": "in_pictures",
        "recognise": "cascade",
        "recognise_pictures": "in_pictures",
    },
)
