"""OCR of pages without a trustworthy text layer (OCR-1 … OCR-6).

needs_ocr.py          which pages to examine, from the classification and the conversion (host)
page_examination.py   examines pages, each once (host)
page_records.py       completes the page records of the classification
worker.py             examines pages and renders them (sandboxed)
rendering.py          pages and pictures as grey pixels, their fingerprint, their PNG (sandboxed)
engines.py            which engines, in which order
remote.py             engines across the network: egress gate, single address, timeout and cancellation
recognition.py        the OCR task of a document, and its result
cascade.py            the OCR step: selects the pages and collects the results
page_recogniser.py    per page: render, look up in the cache, else recognise; a second engine if the first is doubtful
in_pictures.py        the same for pictures inside office documents
embedded.py           finds the pictures inside office documents (sandboxed)
pictures.py           inserts the text of pictures at their places
picture_describer.py  describes pictures without text by a vision model
descriptions.py       descriptions as text that is marked as a model's
merge.py              replaces pages by their recognised versions
page_cache.py         a cache of recognised pages for one document
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

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
