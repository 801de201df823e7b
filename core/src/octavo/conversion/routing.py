"""Chooses the plugins that convert a document: rules are data, overrides win, every choice is recorded with its reason.

Order: an override for the document, the call or the corpus; then the profile's list for the routing type; then
every other installed plugin that reads the media type, by manifest priority and name (CNV-1).
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from octavo_contracts import OctavoError, RoutingType, SourceCorrupt, ToolUnavailable, UnsupportedFormat, UsageError

from ..formats import UNKNOWN, format_for_extension

if TYPE_CHECKING:
    from ..plugins import Catalogue, PluginInfo
    from ..profiles.profile import Profile

SUGGESTIONS: dict[str, str] = {
    **dict.fromkeys(("application/msword", "application/vnd.ms-powerpoint"), "libreoffice"),
    "application/vnd.oasis.opendocument.text": "pandoc",
    "application/vnd.oasis.opendocument.presentation": "libreoffice",
    **dict.fromkeys(("application/rtf", "application/jats+xml", "application/docbook+xml"), "pandoc"),
    **dict.fromkeys(("application/x-fictionbook+xml", "application/x-tex", "text/x-opml+xml"), "pandoc"),
    **dict.fromkeys(("text/x-org", "text/x-rst", "text/x-wiki"), "pandoc"),
    "application/epub+zip": "markitdown",
    "application/pdf": "pdfium",
    "text/html": "trafilatura",
    **dict.fromkeys(("text/plain", "message/rfc822", "application/vnd.ms-outlook"), "plaintext"),
    **dict.fromkeys(("application/vnd.ms-excel", "application/vnd.oasis.opendocument.spreadsheet"), "calamine"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "markitdown",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "markitdown",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "calamine",
}
"""Media type → a plugin known to read it, for the message of `unsupported_format` (CNV-5)."""
_READ_BY_NONE = {"image/svg+xml": "Save it as a PDF or a PNG: no plugin of Octavo reads it"}
_OF_UNKNOWN = "Export it as PDF, DOCX or text from the program that wrote it"
_FAMILY_SUGGESTIONS = {"image/": "pillow", "audio/": "faster-whisper[model]"}
"""Prefix of a media type → a plugin known to read such types."""


@dataclass(frozen=True, kw_only=True)
class RoutingOverride:
    """A plugin that a user's verdict ranks before every rule of the profile (CNV-4).

    Attributes:
        plugin: its name.
        because: who decided, when and why, as shown to the library's owner.
        shared: the reason as shown to others; None: the same.
    """

    plugin: str
    because: str
    shared: str | None = None


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A plugin to try, and why."""

    plugin: PluginInfo
    because: str


@dataclass(frozen=True, kw_only=True)
class Route:
    """The planned plugins of one document.

    Attributes:
        candidates: plugins to try in order until one succeeds.
        escalation: heavier plugins to try if the evidence in the first conversion requires it.
        readers: plugins that read the document too, for a consensus on each page.
        passed_over: plugins that a user set or the profile ranks first but that are unavailable, with the reason.
        is_wish: whether a user chose the plugin, so that no other one is tried.
    """

    candidates: tuple[Candidate, ...]
    escalation: tuple[Candidate, ...] = ()
    readers: tuple[Candidate, ...] = ()
    passed_over: tuple[str, ...] = ()
    is_wish: bool = False


def plan_route(
    catalogue: Catalogue,
    profile: Profile,
    *,
    media_type: str,
    routing_type: RoutingType,
    overrides: Sequence[tuple[str, str]] = (),
    standing: Sequence[tuple[str, str]] = (),
    preferred: RoutingOverride | None = None,
    name: str = "",
) -> Route:
    """Choose the plugins for a document.

    Args:
        catalogue: the installed plugins.
        profile: the rules.
        media_type: the document's type by content.
        routing_type: its routing type.
        overrides: (plugin, who requested it), strongest first; the first one is the only candidate.
        standing: (plugin, who set it), strongest first; the first one that reads the document is the only candidate.
        preferred: the plugin that a user's verdict ranks first.
        name: the document's name, for the message if no plugin reads it.

    Raises:
        UsageError: an override names a plugin that is not installed.
        UnsupportedFormat: no installed plugin reads the type; the message suggests one that would.
        SourceCorrupt: the content is of no known format, and the name is that of one.
        ToolUnavailable: every plugin that reads the type lacks its engine.
    """
    for plugin_name, who in overrides:
        plugin = catalogue.get(plugin_name)
        _check_reads(plugin, media_type, name)
        return Route(candidates=(Candidate(plugin=plugin, because=f"{who} asked for it"),), is_wish=True)
    readers = {plugin.name: plugin for plugin in catalogue.having("convert", media_type=media_type)}
    candidates: list[Candidate] = []
    passed_over: list[str] = []
    unmet: list[str] = []
    for plugin_name, who in standing:
        if plugin_name in readers:
            because = "; ".join([f"{who} asked for it", *unmet])
            return Route(
                candidates=(Candidate(plugin=readers[plugin_name], because=because),),
                passed_over=tuple(unmet),
                is_wish=True,
            )
        unmet.append(f"{who} asked for {plugin_name}, which {_why_not(catalogue, plugin_name, media_type)}")
    ranked = profile.routes.get(routing_type.value, ())
    if preferred is not None:
        if lacking := _lacking(readers, preferred.plugin):
            passed_over.append(f"{preferred.plugin}: {lacking}")
        else:
            candidates.append(Candidate(plugin=readers[preferred.plugin], because=preferred.because))
    for place, plugin_name in enumerate(ranked, start=1):
        if preferred is not None and plugin_name == preferred.plugin:
            continue
        lacking = _lacking(readers, plugin_name)
        if lacking:
            passed_over.append(f"{plugin_name}: {lacking}")
            continue
        because = f"place {place} for {routing_type.value} in profile {profile.name}"
        if passed_over and not candidates:
            because += f"; passed over {', '.join(item.partition(':')[0] for item in passed_over)}"
        candidates.append(Candidate(plugin=readers[plugin_name], because=because))
    chosen = {candidate.plugin.name for candidate in candidates}
    for plugin in readers.values():
        if plugin.name not in chosen and plugin.name not in ranked:
            because = f"reads {media_type}, priority {plugin.manifest.priority}; not ranked by profile {profile.name}"
            candidates.append(Candidate(plugin=plugin, because=because))
    if not candidates:
        from .ocr.remote import needs_network

        recognises = any(one.missing() is None and not needs_network(one) for one in catalogue.having("ocr"))
        raise _unsupported(readers, media_type, name, recognises=recognises)
    if unmet:
        candidates = [replace(one, because="; ".join([one.because, *unmet])) for one in candidates]
    is_pdf = media_type == "application/pdf"
    return Route(
        candidates=tuple(candidates),
        escalation=_escalation(readers, profile, profile.escalate.get("pdf" if is_pdf else "other", ())),
        readers=_escalation(readers, profile, profile.consensus.get("pdf", ()), rule="consensus") if is_pdf else (),
        passed_over=(*unmet, *passed_over),
    )


def _escalation(
    readers: dict[str, PluginInfo], profile: Profile, names: Sequence[str], *, rule: str = "escalation"
) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(plugin=readers[name], because=f"{rule} in profile {profile.name}")
        for name in names
        if not _lacking(readers, name)
    )


def _lacking(readers: dict[str, PluginInfo], name: str) -> str | None:
    plugin = readers.get(name)
    if plugin is None:
        return "not installed, or does not read this type"
    return plugin.missing()


def _why_not(catalogue: Catalogue, name: str, media_type: str) -> str:
    """Return why a plugin that a user set does not convert a document."""
    installed = any(plugin.name == name for plugin in catalogue)
    return f"does not read {media_type}" if installed else "is not installed"


def _check_reads(plugin: PluginInfo, media_type: str, name: str) -> None:
    if "convert" not in plugin.manifest.hooks:
        raise UsageError(f"plugin {plugin.name!r} does not convert; it has {', '.join(plugin.manifest.hooks)}")
    if media_type not in plugin.manifest.media_types:
        reads = ", ".join(plugin.manifest.extensions or plugin.manifest.media_types)
        raise UnsupportedFormat(
            f"{plugin.name} does not read {media_type}",
            source=name or None,
            plugin=plugin.name,
            remedy=f"It reads {reads}",
        )


def recogniser_here() -> str:
    """The distribution that reads scans with the fewest downloads: Tesseract where its program is on the machine."""
    return "octavo-tesseract" if shutil.which("tesseract") else "octavo-rapidocr"


def suggested_plugin(media_type: str) -> str | None:
    """The plugin of Octavo that reads a media type, without its `octavo-` and with an extra where it needs one; or None."""
    if media_type in _READ_BY_NONE:
        return None
    families = _FAMILY_SUGGESTIONS.items()
    return SUGGESTIONS.get(media_type) or next(
        (name for family, name in families if media_type.startswith(family)), None
    )


def _unsupported(readers: dict[str, PluginInfo], media_type: str, name: str, *, recognises: bool) -> OctavoError:
    if readers:
        lacking = "; ".join(f"{plugin.name}: {plugin.missing()}" for plugin in readers.values())
        return ToolUnavailable(f"every plugin that reads {media_type} is unavailable: {lacking}", source=name or None)
    extension = Path(name).suffix or "no extension"
    if media_type == UNKNOWN.media_type and (named := format_for_extension(extension)) is not None:
        return SourceCorrupt(f"the name ends in {extension}, but the content is not that of {named.name}", source=name)
    suggestion = suggested_plugin(media_type)
    recogniser = f" {recogniser_here()}" if media_type.startswith("image/") and not recognises else ""
    remedy = (
        f"Run: pip install {shlex.quote(f'octavo-{suggestion}')}{recogniser}"
        if suggestion
        else _READ_BY_NONE.get(media_type, _OF_UNKNOWN)
    )
    known = "installed plugin" if suggestion else "plugin that Octavo knows"
    return UnsupportedFormat(f"no {known} reads {media_type} ({extension})", source=name or None, remedy=remedy)
