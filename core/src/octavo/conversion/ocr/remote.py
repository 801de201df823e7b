"""Recognisers across the network: asked by the host, at one address, and only where the gate lets pages out (CNV-15).

A hook runs where there is no network, so a recogniser that needs one is a service (`octavo_contracts.RemoteRecogniser`).
What it is given is drawn by a worker; what it answers is held to the contract like a worker's answer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from octavo_contracts import (
    Attempt,
    ContractViolation,
    ConversionTimeout,
    Fetcher,
    FetchResponse,
    OCRRequest,
    OCRResult,
    OctavoError,
    PageImage,
    PolicyRefused,
    RemoteRecogniser,
    ToolUnavailable,
    UsageError,
)
from octavo_sandbox.errors import raise_if

from ...egress import Target, parse_target
from ...egress.gate import Owners, note_use, pass_gate
from ...plugins.services import ServiceInfo, blamed_on
from ...settings.ocr import OcrSettings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...plugins import PluginInfo

KIND = "remote_recogniser"
"""The kind of service."""
HOOK: Final = "ocr"
"""What its calls are written down as: the work is that of the hook."""
LOOK_SECONDS = 0.1
"""How long a pause is at most before it is looked whether anybody waits for the page."""
MAX_ANSWER_BYTES = 64_000_000
"""No answer is longer, whatever a plugin asks for: it is read in the host."""
FORGET_SECONDS = 10.0
"""For a service to delete what it was given, whatever became of the page."""
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


def is_remote(plugin: PluginInfo) -> bool:
    """Whether a plugin recognises pages across the network."""
    return KIND in plugin.manifest.services


def service_name(plugin: PluginInfo) -> str:
    """What a remote recogniser is called in messages and logs."""
    return f"the recogniser {plugin.name}"


def check_owners(owners: Owners | None, settings: OcrSettings, *, service: str) -> None:
    """Raise unless everybody who owns a document, and the deployment, let a cloud service see it; a refusal is logged.

    Where the service's address is makes no difference: what answers on this machine may hand the pages on.

    Raises:
        PolicyRefused: somebody does not, or nobody was there to ask.
    """
    pass_gate(
        owners,
        service=service,
        enabled=settings.cloud,
        remedy="Set ocr.cloud = true, and cloud for each corpus of the document; or use a recogniser of this machine",
    )


@dataclass(frozen=True, kw_only=True)
class PageCall:
    """One page to have recognised.

    Attributes:
        image: the page.
        request: languages and options.
        seconds: that it may take.
        because: why this plugin.
        cancel: set it to stop.
        closing: set when the runtime is closed, which stops it too.
    """

    image: PageImage
    request: OCRRequest
    seconds: float
    because: str = ""
    cancel: threading.Event | None = None
    closing: threading.Event | None = None

    def is_stopped(self) -> bool:
        """Whether nobody waits for the page any more."""
        return any(event is not None and event.is_set() for event in (self.cancel, self.closing))


class RemoteEngine:
    """A remote recogniser at the address that the settings give. Thread-safe as far as its service is.

    Args:
        plugin: with a service of this kind.
        settings: with address and key.
        owners: of the document, who let it out.

    Raises:
        ToolUnavailable: address or key is missing, or the service cannot be loaded.
        UsageError: the address is no URL, or would send pages in the clear; the key is none.
    """

    def __init__(self, plugin: PluginInfo, settings: OcrSettings, owners: Owners | None = None) -> None:
        self._plugin = plugin
        self._owners = owners
        self._base, self._target = _address(settings, plugin=plugin.name)
        self._key = _key(settings, plugin=plugin.name)
        service = ServiceInfo(KIND, plugin, plugin.manifest.services[KIND])
        self._recogniser: RemoteRecogniser = service.make()

    def read(self, call: PageCall, attempts: list[Attempt]) -> OCRResult:
        """Have a page recognised; the attempt is kept, whatever comes of it.

        Raises:
            OctavoError: as `octavo_contracts.RemoteRecogniser`, and as `blamed_on`: always with a reason code.
            ContractViolation: its answer is none.
            Cancelled: the caller cancelled.
        """
        from ...egress import own_fetcher  # here: it loads an HTTP client, and most documents go nowhere

        note_use(self._owners, service=service_name(self._plugin))
        started = time.perf_counter()
        allowed = self._plugin.manifest.limits.timeout_seconds or call.seconds
        line = _Line(
            own_fetcher(self._target, stopped=call.is_stopped),
            forgetting=own_fetcher(self._target),
            seconds=min(call.seconds, allowed),
            call=call,
        )
        try:
            with blamed_on(self._plugin, kind=KIND):
                result = self._recogniser.recognise(
                    call.image, call.request, base_url=self._base, key=self._key, fetcher=line, pause=line.pause
                )
            if not isinstance(result, OCRResult):
                raise ContractViolation(f"its {KIND} returned a {type(result).__name__}; expected OCRResult")
        except OctavoError as error:
            located = error.located(plugin=self._plugin.name)
            attempts.append(attempt_of(self._plugin, because=call.because, started=started, error=located))
            raise
        attempts.append(attempt_of(self._plugin, because=call.because, started=started))
        return result


def remote_engines(
    engines: Iterable[PluginInfo], settings: OcrSettings, owners: Owners | None, *, asked: bool
) -> tuple[Mapping[str, RemoteEngine], list[Attempt]]:
    """The remote recognisers among some, made ready for a document that may be shown to them.

    Args:
        engines: recognisers of either sort.
        settings: of recognition.
        owners: what is said of the document.
        asked: whether somebody asked for this very engine: then what forbids it is an error, else it is passed over.

    Returns:
        By name those that may be asked; and a failed attempt for each that may not.

    Raises:
        PolicyRefused, ToolUnavailable, UsageError: as `check_owners` and `RemoteEngine`, where it was asked for.
    """
    ready: dict[str, RemoteEngine] = {}
    refused: list[Attempt] = []
    for plugin in filter(is_remote, engines):
        started = time.perf_counter()
        try:
            check_owners(owners, settings, service=service_name(plugin))
            ready[plugin.name] = RemoteEngine(plugin, settings, owners)
        except OctavoError as error:
            if asked or error.reason is None:
                error.located(plugin=plugin.name)
                raise
            refused.append(attempt_of(plugin, because="the order of the settings", started=started, error=error))
    return ready, refused


def attempt_of(plugin: PluginInfo, *, because: str, started: float, error: OctavoError | None = None) -> Attempt:
    """A call, or why there was none, as the report has it."""
    return Attempt(
        plugin=plugin.name,
        plugin_version=plugin.manifest.version,
        engine_version=plugin.engine_version,
        hook=HOOK,
        outcome="ok" if error is None else "failed",
        reason_code=None if error is None else error.reason,
        details="" if error is None else error.message,
        chosen_because=because,
        duration_ms=round((time.perf_counter() - started) * 1000, 3),
    )


class _Line:
    """The way to the service for one page: it ends with the page's time, and when nobody waits for the page any more.

    Args:
        fetcher: what it asks with.
        forgetting: what asks the service to forget: whoever waits or not.
        seconds: the page's time.
        call: the page.
    """

    def __init__(self, fetcher: Fetcher, *, forgetting: Fetcher, seconds: float, call: PageCall) -> None:
        self._fetcher = fetcher
        self._forgetting = forgetting
        self._seconds = seconds
        self._ends = time.monotonic() + seconds
        self._call = call

    def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        max_bytes: int = 10_000_000,
        timeout: float = 30.0,
    ) -> FetchResponse:
        """See `octavo_contracts.Fetcher`. What asks the service to forget goes out even when the page's time is over."""
        forgets = method == "DELETE"
        left = FORGET_SECONDS if forgets else self._left()
        try:
            return (self._forgetting if forgets else self._fetcher).fetch(
                url,
                method=method,
                body=body,
                headers=headers,
                max_bytes=min(max_bytes, MAX_ANSWER_BYTES),
                timeout=min(timeout, left),
            )
        except ToolUnavailable:
            if not forgets:
                self._left()
            raise

    def pause(self, seconds: float) -> None:
        """Wait, where there is time for it.

        Raises:
            ConversionTimeout: there is not.
            Cancelled: the caller cancelled.
        """
        if seconds >= self._left():
            raise self._late()
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            time.sleep(min(left, LOOK_SECONDS))
            self._left()

    def _left(self) -> float:
        raise_if(self._call.cancel)
        raise_if(self._call.closing)
        left = self._ends - time.monotonic()
        if left <= 0:
            raise self._late()
        return left

    def _late(self) -> ConversionTimeout:
        return ConversionTimeout(f"the service did not recognise the page within {self._seconds:g} s")


def _address(settings: OcrSettings, *, plugin: str) -> tuple[str, Target]:
    """The service's URL, and where that leads."""
    if settings.service is None:
        raise ToolUnavailable(
            "no address of its service is set", plugin=plugin, remedy="Set ocr.service to the URL of the service"
        )
    base = settings.service.strip().rstrip("/")
    try:
        port = urlsplit(base).port
        target = parse_target(base, ports={port} if port else {80, 443})
    except (PolicyRefused, ValueError):
        raise UsageError("the setting ocr.service is no URL of a server") from None
    if target.scheme != "https" and target.host not in _HERE:
        raise UsageError(
            "the setting ocr.service begins with http://, so that pages and key would be sent in the clear",
            remedy="Give the https:// address of the service",
        )
    return base, target


def _key(settings: OcrSettings, *, plugin: str) -> str:
    key = settings.service_key.get_secret_value().strip() if settings.service_key is not None else ""
    if not key:
        raise ToolUnavailable(
            "no key of its service is set",
            plugin=plugin,
            remedy="Set the variable OCTAVO_OCR__SERVICE_KEY, or ocr.service_key",
        )
    if not (key.isascii() and key.isprintable() and " " not in key):
        # Said here: whoever builds a header of it would say what the key is.
        raise UsageError("the setting ocr.service_key is no key: it holds blanks, or letters that no key has")
    return key
