"""OCR services across the network: called by the host, at one address, and only if the egress gate allows it (CNV-15).

Hooks run without network access, so a recogniser that needs it is a service (`octavo_contracts.RemoteRecogniser`).
A worker renders the pages that it receives; its answers are validated like those of a worker.
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
    Capability,
    ConversionTimeout,
    Fetcher,
    FetchResponse,
    OCRRequest,
    OCRResult,
    OctavoError,
    PageImage,
    PolicyRefused,
    ToolUnavailable,
    UsageError,
)
from octavo_sandbox.egress import Target, parse_target
from octavo_sandbox.egress.gate import Owners, note_use, pass_gate
from octavo_sandbox.errors import raise_if

from ...plugins.guarded_services import GRACE_SECONDS, GuardedRecogniser
from ...plugins.services import ServiceInfo
from ...settings.ocr import OcrSettings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...plugins import PluginInfo

KIND = "remote_recogniser"
"""The kind of service."""
HOOK: Final = "ocr"
"""Hook under which its calls are recorded."""
_ALLOW = "Set cloud for each corpus of the document; or use a local recogniser"
LOOK_SECONDS = 0.1
"""Interval in seconds at which a pause checks for cancellation."""
MAX_ANSWER_BYTES = 64_000_000
"""Maximum size of an answer, whatever a plugin requests: the host reads it into memory."""
FORGET_SECONDS = 10.0
"""Time for asking a service to delete a page, whether or not the page was recognised."""
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})


def is_remote(plugin: PluginInfo) -> bool:
    """Return whether a plugin recognises pages across the network."""
    return KIND in plugin.manifest.services


def needs_network(plugin: PluginInfo) -> bool:
    """Return whether a plugin that recognises pages sends them across the network, from the host or from a worker."""
    return is_remote(plugin) or Capability.NETWORK in plugin.manifest.capabilities


def service_name(plugin: PluginInfo) -> str:
    """Return the name of a remote recogniser for messages and logs."""
    return f"the recogniser {plugin.name}"


def check_owners(owners: Owners | None, settings: OcrSettings, *, service: str) -> None:
    """Raise unless all owners of a document and the deployment consent to a cloud service; refusals are logged.

    The service's address does not matter: a program on this machine may forward the pages.

    Raises:
        PolicyRefused: an owner or the deployment does not allow it, or the owners are unknown.
    """
    pass_gate(
        owners,
        service=service,
        enabled=settings.cloud,
        remedy="Set ocr.cloud = true, and cloud for each corpus of the document; or use a local recogniser",
    )


@dataclass(frozen=True, kw_only=True)
class PageCall:
    """A request to recognise one page.

    Attributes:
        image: the page.
        request: languages and options.
        seconds: time limit.
        because: why this plugin was chosen.
        cancel: event that stops the call.
        closing: event set when the runtime closes, which stops the call too.
    """

    image: PageImage
    request: OCRRequest
    seconds: float
    because: str = ""
    cancel: threading.Event | None = None
    closing: threading.Event | None = None

    def is_stopped(self) -> bool:
        """Return whether the call was cancelled or the runtime closed."""
        return any(event is not None and event.is_set() for event in (self.cancel, self.closing))


class RemoteEngine:
    """A remote recogniser at the address from the settings. As thread-safe as its service.

    Args:
        plugin: a plugin with a service of this kind.
        settings: contain address and key.
        owners: the owners of the document, who consented.

    Raises:
        ToolUnavailable: address or key is missing, or the service cannot be loaded.
        UsageError: the address is not a URL, or would send pages unencrypted; or the key is malformed.
    """

    def __init__(self, plugin: PluginInfo, settings: OcrSettings, owners: Owners | None = None) -> None:
        self._plugin = plugin
        self._owners = owners
        self._base, self._target = _address(settings, plugin=plugin.name)
        self._key = _key(settings, plugin=plugin.name)
        service = ServiceInfo(KIND, plugin, plugin.manifest.services[KIND])
        self._recogniser: GuardedRecogniser = service.make()

    def read(self, call: PageCall, attempts: list[Attempt]) -> OCRResult:
        """Recognise a page; the attempt is recorded, whether or not it succeeds.

        Raises:
            OctavoError: see `octavo_contracts.RemoteRecogniser` and `ServiceGuard`; always with a reason code.
            Cancelled: the caller cancelled.
        """
        from octavo_sandbox.egress import (
            own_fetcher,  # imported here: it loads an HTTP client that most documents do not need
        )

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
            recogniser = self._recogniser.within(line.seconds + FORGET_SECONDS + GRACE_SECONDS)
            result = recogniser.recognise(
                call.image, call.request, base_url=self._base, key=self._key, fetcher=line, pause=line.pause
            )
        except OctavoError as error:
            located = error.located(plugin=self._plugin.name)
            attempts.append(attempt_of(self._plugin, because=call.because, started=started, error=located))
            raise
        attempts.append(attempt_of(self._plugin, because=call.because, started=started))
        return result


def remote_engines(
    engines: Iterable[PluginInfo], settings: OcrSettings, owners: Owners | None, *, asked: bool
) -> tuple[Mapping[str, RemoteEngine], list[Attempt]]:
    """Check which recognisers may send a document across the network, and prepare the remote ones.

    Args:
        engines: local and remote recognisers.
        settings: OCR settings.
        owners: the owners of the document.
        asked: whether the caller requested this engine: then a refusal is an error, else the engine is skipped.

    Returns:
        The allowed remote recognisers by name, and a failed attempt for each refused engine.

    Raises:
        PolicyRefused, ToolUnavailable, UsageError: see `check_owners` and `RemoteEngine`, for a requested engine.
    """
    ready: dict[str, RemoteEngine] = {}
    refused: list[Attempt] = []
    for plugin in filter(needs_network, engines):
        started = time.perf_counter()
        try:
            if is_remote(plugin):
                check_owners(owners, settings, service=service_name(plugin))
                ready[plugin.name] = RemoteEngine(plugin, settings, owners)
            else:
                # A hook that uses `context.fetch`: the deployment's leave is the setting `plugins.network`.
                pass_gate(owners, service=f"plugin {plugin.name}", remedy=_ALLOW)
        except OctavoError as error:
            if asked or error.reason is None:
                error.located(plugin=plugin.name)
                raise
            refused.append(attempt_of(plugin, because="the order of the settings", started=started, error=error))
    return ready, refused


def attempt_of(plugin: PluginInfo, *, because: str, started: float, error: OctavoError | None = None) -> Attempt:
    """Build the report's record of a call, or of the reason why it was not made."""
    return Attempt(
        **plugin.identity,  # type: ignore[arg-type]  # pydantic checks it
        hook=HOOK,
        outcome="ok" if error is None else "failed",
        reason_code=None if error is None else error.reason,
        details="" if error is None else error.message,
        chosen_because=because,
        duration_ms=round((time.perf_counter() - started) * 1000, 3),
    )


class _Line:
    """Connection to the service for one page: it ends with the page's time limit or when the page is no longer needed.

    Args:
        fetcher: sends the requests.
        forgetting: sends deletion requests, which cancellation does not stop.
        seconds: time limit of the page.
        call: the page.
    """

    def __init__(self, fetcher: Fetcher, *, forgetting: Fetcher, seconds: float, call: PageCall) -> None:
        self._fetcher = fetcher
        self._forgetting = forgetting
        self.seconds = seconds
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
        """See `octavo_contracts.Fetcher`. Deletion requests are sent even after the page's time limit."""
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
        """Wait, if enough time is left.

        Raises:
            ConversionTimeout: the page's time limit does not allow the pause.
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
        return ConversionTimeout(f"the service did not recognise the page within {self.seconds:g} s")


def _address(settings: OcrSettings, *, plugin: str) -> tuple[str, Target]:
    """Return the service's URL and its parsed target."""
    if settings.service is None:
        raise ToolUnavailable(
            "the address of its service is not set", plugin=plugin, remedy="Set ocr.service to the URL of the service"
        )
    base = settings.service.strip().rstrip("/")
    try:
        port = urlsplit(base).port
        target = parse_target(base, ports={port} if port else {80, 443})
    except (PolicyRefused, ValueError):
        raise UsageError("the setting ocr.service is not the URL of a server") from None
    if target.scheme != "https" and target.host not in _HERE:
        raise UsageError(
            "the setting ocr.service begins with http://, which would send pages and key unencrypted",
            remedy="Give the https:// address of the service",
        )
    return base, target


def _key(settings: OcrSettings, *, plugin: str) -> str:
    key = settings.service_key.get_secret_value().strip() if settings.service_key is not None else ""
    if not key:
        raise ToolUnavailable(
            "the key of its service is not set",
            plugin=plugin,
            remedy="Set the variable OCTAVO_OCR__SERVICE_KEY, or ocr.service_key",
        )
    if not (key.isascii() and key.isprintable() and " " not in key):
        # Check here: an HTTP client that rejects the header would quote the key in its message.
        raise UsageError(
            "the setting ocr.service_key is not a key: it contains spaces or characters that are not printable ASCII"
        )
    return key
