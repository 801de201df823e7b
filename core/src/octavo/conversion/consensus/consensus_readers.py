"""Asks the readers of a route for their readings of a PDF, until the pages have a consensus (CNV-2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from octavo_contracts import Attempt, Capability, OctavoError

from ..escalation import given_up, tried_plugins
from .merge_readings import merge_readings, reading_of, shown_tables, unsettled
from .page_consensus import TEXT_READERS

if TYPE_CHECKING:
    from ...settings.repair import RepairSettings
    from ..converter import DocumentConverter
    from ..routing import Candidate, Route
    from ..states import ConvertedVersion
    from .readings import Reading


def reach_consensus(
    version: ConvertedVersion, route: Route, converter: DocumentConverter, *, settings: RepairSettings
) -> ConvertedVersion:
    """Ask a route's readers in order until no page is in dispute, and merge what they read.

    A page on which two readers agree costs nothing more. The third reader decides about texts; further ones are asked only
    for pages whose tables are in dispute, or which show a table that no reader has yet. A further reader, and a third one that
    cannot read single pages, is asked only if it has to read no more than `all_plugins_up_to` pages.

    Args:
        version: the conversion by the first reader.
        route: route of the document.
        converter: calls the plugins.
        settings: page limits up to which one plugin, or more than one, is asked.

    Returns:
        The version with the parts of other readers, or with the records of readers that failed.
    """
    conversion = version.conversion
    count = len(conversion.pages)
    disputed = [page.number for page in conversion.pages if page.number not in version.recognition.readings]
    if not conversion.paginated or count > settings.tables_up_to:
        return version
    plugin = version.candidate.plugin
    readings = [
        reading_of(
            conversion,
            engine=plugin.name,
            tells_hidden=Capability.HIDDEN_TEXT in plugin.manifest.capabilities,
            reads_tables=Capability.TABLES in plugin.manifest.capabilities,
        )
    ]
    attempts, fallbacks = list(version.attempts), list(version.fallbacks)
    decided: set[int] = set()
    shown = shown_tables(conversion, version.evidence)
    tried = tried_plugins(version)
    for candidate in route.readers:
        if not disputed or converter.budget.is_used_up:
            break
        reads_ranges = Capability.PAGE_RANGES in candidate.plugin.manifest.capabilities
        is_many = (len(disputed) if reads_ranges else count) > settings.all_plugins_up_to
        if candidate.plugin.name in tried or (is_many and len(readings) >= (TEXT_READERS if reads_ranges else 2)):
            continue
        try:
            readings.append(_read(candidate, converter, attempts, disputed, count=count))
        except OctavoError as error:
            if error.reason is None:
                raise
            fallbacks.append(given_up(candidate, error, converter.budget, outcome="abandoned"))
            continue
        decided.update(disputed)
        with converter.budget.work(converter.document.limits):
            disputed = unsettled(readings, disputed, tables_only=len(readings) >= TEXT_READERS, shown=shown)
    version = replace(version, attempts=tuple(attempts), fallbacks=tuple(fallbacks))
    if not decided:
        return version
    made = converter.merged(
        version, lambda: merge_readings(conversion, readings, decided, shown=shown), attempts, fallbacks
    )
    return version if isinstance(made, str) else made


def _read(
    candidate: Candidate, converter: DocumentConverter, attempts: list[Attempt], pages: list[int], *, count: int
) -> Reading:
    """Return one plugin's reading of the disputed pages, or of the whole document if it cannot read single pages.

    Raises:
        OctavoError: the plugin cannot convert the document, or counts other pages.
    """
    manifest = candidate.plugin.manifest
    asked = tuple(pages) if Capability.PAGE_RANGES in manifest.capabilities and len(pages) < count else None
    part = converter.read_again(candidate, attempts, pages=asked, count=count)
    return reading_of(
        part,
        engine=manifest.name,
        tells_hidden=Capability.HIDDEN_TEXT in manifest.capabilities,
        reads_tables=Capability.TABLES in manifest.capabilities,
        numbers=dict(enumerate(asked, start=1)) if asked else None,
    )
