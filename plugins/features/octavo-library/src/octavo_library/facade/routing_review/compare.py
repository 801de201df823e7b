"""Compares the conversions of one document by two plugins, for `octavo compare` (CNV-4)."""

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
    """The conversions of a document by two plugins, compared.

    Attributes:
        name: the document's name.
        routing_type: its routing type.
        a: reading of the first plugin.
        b: reading of the second plugin.
        measured: the comparison of the two.
        threshold: difference above which a metric diverges.
        stored: tools whose reading is a stored version, with its number; the others converted the document now.
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
    """Convert a document by two plugins and compare the results; nothing is stored.

    Args:
        source: a path, or the document's bytes.
        plugins: the two plugins.
        runtime: plugins and workers.
        name: the name of bytes that have no path.
        profile: profile with the threshold.
        password: password of an encrypted document.
        timeout: seconds that a plugin may take.
        cancel: set it from another thread to stop.

    Raises:
        UsageError: no such plugin or profile, or not exactly two plugins.
        OctavoError: a plugin cannot convert the document.
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
    """As `compare`, for an opened document.

    Args:
        runtime: plugins and workers.
        source: the document.
        options: password, timeout and the profile with the threshold.
        pair: the two plugins (`checked_pair`).
        stored: returns the reading and number of a stored version by a plugin, or None.
        services: the store of recognised pages, and the types that users set.

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
    """Check that exactly two different, installed plugins are given.

    Raises:
        UsageError: there are not two, or one is not installed.
    """
    if len(plugins) != 2 or plugins[0] == plugins[1]:
        given = ", ".join(plugins) or "none"
        raise UsageError(f"two different plugins needed, got {given}", remedy="Name two: --with pdfium --with pypdf")
    for name in plugins:
        if "convert" not in runtime.catalogue.get(name).manifest.hooks:
            raise UsageError(f"plugin {name!r} is not a converter")
    return plugins[0], plugins[1]
