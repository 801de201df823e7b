"""Surfaces by which documents enter, and the kinds of place where they were seen (ENG-1, STO-18)."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from octavo_contracts import RefScheme

from ..storage import LocationType

SURFACES = (
    "corpus",
    "email_attachment",
    "browser_capture",
    "chat_attachment",
    "demonstration_capture",
    "task_output",
    "direct_upload",
    "watched_folder",
    "autonomous_gathering",
)
"""The surfaces by which documents enter a library (ENG-1)."""

_BY_SURFACE: Final = {
    "email_attachment": LocationType.EMAIL_ATTACHMENT,
    "browser_capture": LocationType.BROWSER,
    "chat_attachment": LocationType.CHAT_ATTACHMENT,
    "demonstration_capture": LocationType.DEMONSTRATION_CAPTURE,
    "task_output": LocationType.TASK_OUTPUT,
}
_ONEDRIVE: Final = re.compile(r"/OneDrive(%20-%20[^/]+)?/")
"""A folder that OneDrive synchronises has this name on every system, with the organisation for a business account."""
_HOSTS: Final = {
    LocationType.EDGAR_PULL: re.compile(r"(.+\.)?sec\.gov"),
    LocationType.PACER_DOCKET: re.compile(r"(.+\.)?(uscourts\.gov|pacer\.gov)"),
}


def location_type(path_ref: str | None, *, surface: str, given: str | None = None) -> LocationType:
    """The kind of place of a document.

    Args:
        path_ref: its path or URL as a reference; None: its bytes were passed in.
        surface: how it entered.
        given: the kind that the caller stated; None: it follows from the other two.
    """
    if given is not None:
        return LocationType(given)
    if path_ref is None:
        return _BY_SURFACE.get(surface, LocationType.DIRECT_UPLOAD)
    scheme, _, place = path_ref.partition(":")
    if scheme == RefScheme.URL:
        host = _host_of(place)
        return next((kind for kind, hosts in _HOSTS.items() if hosts.fullmatch(host)), LocationType.WEB_FETCH)
    return LocationType.ONEDRIVE if _ONEDRIVE.search(place) else LocationType.LOCAL


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # what is no URL is recorded as a failure under the text that was given
        return ""
