"""What a caller may ask for one document."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from octavo_contracts import UsageError

from ..egress.gate import Owners
from ..plugins import PluginInfo
from ..settings.ocr import AUTOMATIC, OcrOptions
from .routing import Preference

if TYPE_CHECKING:
    from ..runtime import Runtime
    from .ocr.recognition import PageReading


class Admission(Protocol):
    """Asked before each call to a converter; see `octavo.ingestion.circuit_breaker`."""

    def __call__(self, plugin: PluginInfo, cancel: threading.Event | None, /) -> AbstractContextManager[None]:
        """Around the call: waits for the plugin's turn, or raises `ToolUnavailable`."""


@dataclass(frozen=True, kw_only=True)
class ConvertOptions:
    """What a caller may ask for one document.

    Attributes:
        overrides: (plugin, who asked), strongest first: asked for this conversion; empty lets routing choose. A document
            that the first one does not read is a failure.
        standing: (plugin, who set it), strongest first: what a user set for the document or for its corpus. The first one
            that is installed and reads the document converts it (CNV-1).
        engine_before: the plugin of the version whose pages are kept; other standing plugins are passed over. None: no
            page is kept.
        profile: routing rules, or None for the settings'.
        password: of an encrypted document.
        timeout: seconds a plugin may take, or None for the settings'.
        cancel: set it to stop.
        admit: asked before each call to a converter, or None where there is nothing to wait for.
        ocr: what is asked of recognition.
        earlier: page → what the active version has of it by recognition, to be kept where it is not read again; None
            where no version is made.
        preferences: (routing type, the plugin that a verdict of the user puts first for it).
        owners: what is said of showing the document to a cloud service, or None: nobody said anything, so that none sees it.
        typed: gives the type that a user set for a document, by the SHA-256 of its bytes; None where nothing is kept.
    """

    overrides: tuple[tuple[str, str], ...] = ()
    standing: tuple[tuple[str, str], ...] = ()
    engine_before: str | None = None
    profile: str | None = None
    password: str | None = None
    timeout: float | None = None
    cancel: threading.Event | None = None
    admit: Admission | None = None
    ocr: OcrOptions = AUTOMATIC
    earlier: Mapping[int, PageReading] | None = None
    preferences: tuple[tuple[str, Preference], ...] = ()
    owners: Owners | None = None
    typed: Callable[[str], str | None] | None = None

    def __post_init__(self) -> None:
        """Refuse what no conversion could use.

        Raises:
            UsageError: a timeout that is not positive and finite, or a password that is no text.
        """
        if self.timeout is not None and not 0 < self.timeout < math.inf:
            raise UsageError(f"a timeout of {self.timeout} seconds is none: it is positive and finite")
        try:
            (self.password or "").encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                "the password is no text in UTF-8", remedy="Save a copy of the document under another password"
            ) from error

    def type_by_hand(self, raw_hash: str) -> str | None:
        """The type that a user set for a document, or None (CLS-6).

        Args:
            raw_hash: SHA-256 of its bytes.
        """
        return self.typed(raw_hash) if self.typed is not None else None


def opening(runtime: Runtime, options: ConvertOptions) -> ConvertOptions:
    """The options with the password that a document is opened with: the caller's, else that of the settings."""
    return replace(options, password=runtime.settings.password_for(options.password))
