"""What a conversion asks of its caller while it runs: admission of plugins, consent to cloud services, kept pages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol

from ..egress.gate import Owners
from ..plugins import PluginInfo
from .ocr.page_cache import MemoryPages, PagesStore
from .ocr.recognition import PageReading


class Admission(Protocol):
    """Asked before each call to a plugin; see `octavo_library.ingestion.circuit_breaker`."""

    def __call__(self, plugin: PluginInfo, cancel: threading.Event | None, /) -> AbstractContextManager[None]:
        """Around the call: waits for the plugin's turn, or raises `ToolUnavailable`."""


class Places(Protocol):
    """A pool of places, as `octavo_library.ingestion.pools.StepPool.place` gives them."""

    def __call__(self, *, cancel: threading.Event | None) -> AbstractContextManager[object]:
        """Around the work: waits for a place and holds it."""


@dataclass(frozen=True, kw_only=True)
class ConversionServices:
    """What a library offers to the conversion of one document. Without a library the defaults do.

    Attributes:
        admission: asked before each call to a plugin; None: every call is made at once.
        recognition: places for recognition; None: there is no limit.
        owners: what the document's owners say of showing it to a cloud service; None: nobody said anything, so that no
            service sees it.
        types: gives the type that a user set for a document, by the SHA-256 of its bytes; None: nothing is kept.
        pages: where recognised pages are kept.
        earlier: page → what the active version has of it by recognition, to be kept where the page is not read again;
            None where no version is made.
    """

    admission: Admission | None = None
    recognition: Places | None = None
    owners: Owners | None = None
    types: Callable[[str], str | None] | None = None
    pages: PagesStore = field(default_factory=MemoryPages)
    earlier: Mapping[int, PageReading] | None = None

    def admitted(self, plugin: PluginInfo, cancel: threading.Event | None) -> AbstractContextManager[None]:
        """Around a call to a plugin.

        Raises:
            ToolUnavailable: the plugin cannot work now.
            Cancelled: `cancel` was set while the call waited for its turn.
        """
        return self.admission(plugin, cancel) if self.admission is not None else nullcontext()

    def type_by_hand(self, raw_hash: str) -> str | None:
        """The type that a user set for a document, or None (CLS-6).

        Args:
            raw_hash: SHA-256 of its bytes.
        """
        return self.types(raw_hash) if self.types is not None else None
