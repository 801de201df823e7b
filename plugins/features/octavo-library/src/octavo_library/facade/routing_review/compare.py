"""Two plugins on one document, compared on request: what `octavo compare` shows (CNV-4)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from octavo.conversion.conversion_services import ConversionServices
from octavo.conversion.inspection import routing_type
from octavo.conversion.options import ConvertOptions, opening
from octavo.conversion.pipeline import convert_with, inspected
from octavo.conversion.results import open_source
from octavo.conversion.routing import Candidate
from octavo.documents.source import Source
from octavo_contracts import UsageError

from ...ingestion.sampling.measures import Measured, Reading, compare_readings
from ...ingestion.sampling.readings import reading_of

if TYPE_CHECKING:
    from octavo.runtime import Runtime

Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A document as two plugins read it.

    Attributes:
        name: the document's name.
        routing_type: the kind of document that routing sees.
        a: what the first plugin made of it.
        b: what the second one did.
        measured: how far the two differ.
        threshold: above which a metric diverges.
        stored: tools whose reading is a stored version, with its number; the others converted it just now.
    """

    name: str
    routing_type: str
    a: Reading
    b: Reading
    measured: Measured
    threshold: float
    stored: dict[str, int]


def compare(
    source: str | os.PathLike[str] | bytes,
    *,
    plugins: Sequence[str],
    runtime: Runtime,
    name: str | None = None,
    profile: str | None = None,
    password: str | None = None,
    timeout: float | None = None,
    cancel: threading.Event | None = None,
) -> Comparison:
    """Convert a document by two plugins and compare what they make of it; nothing is kept.

    Args:
        source: a path, or the document's bytes.
        plugins: the two plugins.
        runtime: plugins and workers.
        name: the name of bytes that have no path.
        profile: whose threshold counts.
        password: of an encrypted document.
        timeout: seconds a plugin may take.
        cancel: set it from another thread to stop.

    Raises:
        UsageError: no such plugin or profile, or not two of them.
        OctavoError: a plugin cannot convert it.
    """
    pair = checked_pair(runtime, plugins)
    options = ConvertOptions(profile=profile, password=password, timeout=timeout, cancel=cancel)
    with open_source(source, name=name) as opened:
        return compare_opened(runtime, opened, options, pair)


def compare_opened(
    runtime: Runtime,
    source: Source,
    options: ConvertOptions,
    pair: Pair,
    *,
    stored: Callable[[str], tuple[Reading, int] | None] = lambda tool: None,
    services: ConversionServices | None = None,
) -> Comparison:
    """As `compare`, of an opened document.

    Args:
        runtime: plugins and workers.
        source: the document.
        options: password, timeout and the profile whose threshold counts.
        pair: the two plugins (`checked_pair`).
        stored: gives the reading of a stored version that a plugin made, with its number; None where there is none.
        services: where recognised pages are kept, and the type that a user set.

    Raises:
        OctavoError: a plugin cannot convert it.
    """
    options = opening(runtime, options)
    profile = runtime.profile(options.profile)
    services = services or ConversionServices()
    document = inspected(runtime, source, options, services, [])
    versions: dict[str, int] = {}

    def read(tool: str) -> Reading:
        known = stored(tool)
        if known is not None:
            versions[tool] = known[1]
            return known[0]
        candidate = Candidate(plugin=runtime.catalogue.get(tool), because="to be compared")
        return reading_of(convert_with(document, candidate, services))

    a, b = (read(tool) for tool in pair)
    threshold = profile.sampling.threshold
    return Comparison(
        name=source.name,
        routing_type=routing_type(document.inspection).value,
        a=a,
        b=b,
        measured=compare_readings(a, b, threshold=threshold),
        threshold=threshold,
        stored=versions,
    )


def checked_pair(runtime: Runtime, plugins: Sequence[str]) -> Pair:
    """Two plugins that are installed.

    Raises:
        UsageError: there are not two, or one is not installed.
    """
    if len(plugins) != 2 or plugins[0] == plugins[1]:
        given = ", ".join(plugins) or "none"
        raise UsageError(f"two plugins are compared; given: {given}", remedy="Name two: --with pdfium --with pypdf")
    for name in plugins:
        if "convert" not in runtime.catalogue.get(name).manifest.hooks:
            raise UsageError(f"plugin {name!r} does not convert")
    return plugins[0], plugins[1]
