"""Services that a caller provides to a conversion: admission of plugins, consent to cloud services, cached pages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from .ocr.page_cache import MemoryPages, PagesStore

if TYPE_CHECKING:
    from octavo_sandbox.egress.gate import Owners

    from ..builtins.classification.inspection import Inspection
    from ..plugins import PluginInfo
    from .ocr.recognition import PageReading


class Admission(Protocol):
    """Admits each call to a plugin; see `octavo_library.ingestion.circuit_breaker`."""

    def __call__(self, plugin: PluginInfo, cancel: threading.Event | None, /) -> AbstractContextManager[None]:
        """Return a context manager for the call; entering waits for the plugin's turn or raises `ToolUnavailable`."""


class Places(Protocol):
    """A pool of slots; see `octavo_library.ingestion.pools.StepPool.place`."""

    def __call__(self, *, cancel: threading.Event | None) -> AbstractContextManager[object]:
        """Return a context manager for the work: entering it waits for a slot, leaving it releases the slot."""


class InspectionStore(Protocol):
    """A store of inspections: that of a document is made once for its bytes and its request (CLS-7)."""

    def get(self, raw_hash: str, key: str) -> Inspection | None:
        """Return the stored inspection of these bytes for a request with this key, or None."""

    def put(self, raw_hash: str, key: str, inspection: Inspection) -> None:
        """Store an inspection, replacing one of the same bytes."""


@dataclass(frozen=True, kw_only=True)
class ConversionServices:
    """Services of a library for the conversion of one document. Without a library the defaults are used.

    Attributes:
        admission: admits each call to a plugin; None: every call starts at once.
        recognition: slots for OCR; None: unlimited.
        models: slots for recognisers that ask a server; None: unlimited.
        owners: consent of the document's owners to cloud services; None: no consent, so no service receives the
            document.
        types: returns the type that a user set for a document, by the SHA-256 of its bytes; None: no types are stored.
        marks: returns the pages of a document that a user marked as needing recognition, by the SHA-256 of its bytes;
            None: no marks are stored (CNV-3).
        inspections: store of inspections; None: each conversion inspects the document (CLS-7).
        pages: cache of recognised pages; None: one in memory, for this document.
        earlier: page → OCR result of the active version, kept if the page is not recognised again; None if no version
            is created.
    """

    admission: Admission | None = None
    recognition: Places | None = None
    models: Places | None = None
    owners: Owners | None = None
    types: Callable[[str], str | None] | None = None
    marks: Callable[[str], frozenset[int]] | None = None
    inspections: InspectionStore | None = None
    pages: PagesStore | None = None
    earlier: Mapping[int, PageReading] | None = None

    @cached_property
    def recognised_pages(self) -> PagesStore:
        """The cache of recognised pages, shared by all conversions of the document."""
        return self.pages if self.pages is not None else MemoryPages()

    def admitted(self, plugin: PluginInfo, cancel: threading.Event | None) -> AbstractContextManager[None]:
        """Return a context manager for a call to a plugin.

        Raises:
            ToolUnavailable: the plugin is not available now.
            Cancelled: `cancel` was set while the call waited for its turn.
        """
        return self.admission(plugin, cancel) if self.admission is not None else nullcontext()

    def type_by_hand(self, raw_hash: str) -> str | None:
        """Return the type that a user set for a document, or None (CLS-6).

        Args:
            raw_hash: SHA-256 of the document's bytes.
        """
        return self.types(raw_hash) if self.types is not None else None

    def marked_pages(self, raw_hash: str) -> frozenset[int]:
        """Return the pages of a document that a user marked as needing recognition (CNV-3).

        Args:
            raw_hash: SHA-256 of the document's bytes.
        """
        return self.marks(raw_hash) if self.marks is not None else frozenset()
