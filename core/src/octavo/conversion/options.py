"""Options of a caller for the conversion of one document."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from octavo_contracts import UsageError
from octavo_sandbox.preflight import RAISABLE

from ..settings.ocr import AUTOMATIC, OcrOptions
from .routing import RoutingOverride

if TYPE_CHECKING:
    from ..runtime import Runtime

CALLER = "the caller"
"""Default of `asked_by`."""


@dataclass(frozen=True, kw_only=True)
class ConvertOptions:
    """Options of a caller for the conversion of one document.

    Attributes:
        plugin: convert with this plugin only; None lets routing choose. A document that it does not read fails.
        asked_by: who requested `plugin`, as named in the version's reason.
        standing: (plugin, who set it), strongest first: settings of the user for the document or its corpus. The first
            one that is installed and reads the document converts it (CNV-1).
        engine_before: the plugin of the version whose pages are kept; other standing plugins are skipped. None: no
            page is kept.
        profile: name of the routing profile, or None for that of the settings.
        password: password of an encrypted document.
        timeout: seconds that a plugin may take, or None for that of the settings.
        cancel: event that stops the conversion.
        ocr: OCR options.
        preferences: (routing type, the plugin that a verdict of the user puts first for it).
        limits: limits on the size of documents that differ from the settings', by their names in
            `octavo_sandbox.preflight.RAISABLE` (ENG-20).
        images: whether `ConvertedDocument.images` is filled; a library ignores it.
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
    limits: Mapping[str, int] = field(default_factory=dict)
    images: bool = False

    def __post_init__(self) -> None:
        """Validate the options.

        Raises:
            UsageError: a limit is unknown or not positive, the timeout is not positive and finite, or the password cannot be encoded.
        """
        if self.timeout is not None and not 0 < self.timeout < math.inf:
            raise UsageError(f"timeout must be a positive number of seconds, got {self.timeout}")
        check_limits(self.limits)
        try:
            (self.password or "").encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                "the password cannot be encoded in UTF-8", remedy="Save a copy of the document under another password"
            ) from error

    def max_pages(self, default: int) -> int:
        """The maximum number of pages of a document.

        Args:
            default: that of the settings.
        """
        return self.limits.get("max_pages", default)

    @property
    def overrides(self) -> tuple[tuple[str, str], ...]:
        """(the requested plugin, who requested it), or nothing."""
        return ((self.plugin, self.asked_by),) if self.plugin is not None else ()


def check_limits(limits: Mapping[str, int]) -> None:
    """Check limits on the size of documents.

    Raises:
        UsageError: a limit is unknown or not positive.
    """
    for name, value in limits.items():
        if name not in RAISABLE:
            raise UsageError(f"unknown limit {name!r}", remedy=f"Give one of {', '.join(RAISABLE)}")
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise UsageError(f"{name} must be a positive whole number, got {value!r}")


def opening(runtime: Runtime, options: ConvertOptions) -> ConvertOptions:
    """Return the options with the password that opens the document: the caller's, else that of the settings."""
    return replace(options, password=runtime.settings.password_for(options.password))
