"""What a caller may ask for one document: plain data."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from octavo_contracts import UsageError

from ..settings.ocr import AUTOMATIC, OcrOptions
from .routing import RoutingOverride

if TYPE_CHECKING:
    from ..runtime import Runtime

CALLER = "the caller"
"""Who asked for a plugin, where nobody says more."""


@dataclass(frozen=True, kw_only=True)
class ConvertOptions:
    """What a caller may ask for one document.

    Attributes:
        plugin: convert with this plugin and no other; None lets routing choose. A document that it does not read is a failure.
        asked_by: who asked for `plugin`, as the version's reason names them.
        standing: (plugin, who set it), strongest first: what a user set for the document or for its corpus. The first one
            that is installed and reads the document converts it (CNV-1).
        engine_before: the plugin of the version whose pages are kept; other standing plugins are passed over. None: no
            page is kept.
        profile: routing rules, or None for the settings'.
        password: of an encrypted document.
        timeout: seconds a plugin may take, or None for the settings'.
        cancel: set it to stop.
        ocr: what is asked of recognition.
        preferences: (routing type, the plugin that a verdict of the user puts first for it).
    """

    plugin: str | None = None
    asked_by: str = CALLER
    standing: tuple[tuple[str, str], ...] = ()
    engine_before: str | None = None
    profile: str | None = None
    password: str | None = None
    timeout: float | None = None
    cancel: threading.Event | None = None
    ocr: OcrOptions = AUTOMATIC
    preferences: tuple[tuple[str, RoutingOverride], ...] = ()

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

    @property
    def overrides(self) -> tuple[tuple[str, str], ...]:
        """(the plugin that was asked for, who asked), or nothing."""
        return ((self.plugin, self.asked_by),) if self.plugin is not None else ()


def opening(runtime: Runtime, options: ConvertOptions) -> ConvertOptions:
    """The options with the password that a document is opened with: the caller's, else that of the settings."""
    return replace(options, password=runtime.settings.password_for(options.password))
