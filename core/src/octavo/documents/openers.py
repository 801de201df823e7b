"""Sources that a feature opens, such as pages of the web: found by the scheme of their URL, imported when first needed.

A feature names a function in the entry points of the group `octavo.openers`, under the scheme: `https = "octavo_web.page_opener:open_page"`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from octavo_contracts import ToolUnavailable

from .location import shown_url

if TYPE_CHECKING:
    from .source import Source

OPENERS_GROUP = "octavo.openers"


class Opener(Protocol):
    """Opens what a URL leads to."""

    def __call__(self, url: str, options: Any, runtime: Any) -> Source:
        """Open a URL.

        Args:
            url: as the user gave it.
            options: `ConvertOptions` of the conversion; its `cancel` ends the fetch.
            runtime: the `Runtime`, whose settings say what may be fetched.

        Raises:
            OctavoError: it is not allowed, or cannot be had.
        """


def open_url(url: str, options: Any, runtime: Any) -> Source:
    """Open a URL by the feature that is installed for its scheme.

    Args:
        url: as the user gave it.
        options: `ConvertOptions` of the conversion.
        runtime: the `Runtime` that converts it.

    Raises:
        ToolUnavailable: no installed feature opens it.
        OctavoError: as `Opener`.
    """
    opener = _opener(url.partition(":")[0].lower())
    if opener is None:
        raise ToolUnavailable(
            "documents from the web need octavo-web, which is not installed",
            source=shown_url(url),
            remedy="Run: pip install octavo-web",
        )
    return opener(url, options, runtime)


@cache
def _opener(scheme: str) -> Opener | None:
    from importlib import metadata

    for point in sorted(metadata.entry_points(group=OPENERS_GROUP, name=scheme), key=lambda point: point.value):
        found: Opener = point.load()
        return found
    return None
