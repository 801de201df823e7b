"""Result of type detection, and the sentence that describes a mismatch."""

from __future__ import annotations

from pathlib import PurePath

from octavo_contracts import Model, RoutingType
from pydantic import Field

from .table import UNKNOWN, Format, format_for_extension, format_of

_XML_DOCUMENTS = frozenset(
    {"application/jats+xml", "application/docbook+xml", "application/x-fictionbook+xml", "text/x-opml+xml"}
)
_GENERIC: dict[str, frozenset[str]] = {
    "text/plain": _XML_DOCUMENTS
    | {
        "text/csv",
        "text/tab-separated-values",
        "text/markdown",
        "text/vtt",
        "text/x-org",
        "application/x-tex",
        "application/x-subrip",
        "application/json",
        "application/xml",
    },
    "application/xml": _XML_DOCUMENTS | {"application/rss+xml", "application/atom+xml", "image/svg+xml", "text/html"},
    "application/json": frozenset({"application/x-ipynb+json"}),
}
"""Name's type → types of content for which the name is also correct: every VTT file is also plain text."""


class Detected(Model):
    """What a file is (CLS-8)."""

    media_type: str = Field(description="Type by content, for example 'application/pdf'.")
    extension_media_type: str | None = Field(
        default=None, description="Type of the name's extension; null if the extension is unknown."
    )
    mismatch: str | None = Field(
        default=None, description="Mismatch between the content and the name or declared type, as a sentence; or null."
    )
    encrypted: bool = Field(default=False, description="Whether the content is encrypted, as far as known.")

    @property
    def format(self) -> Format:
        """The row of the table of formats for this type."""
        return format_of(self.media_type)

    @property
    def routing_type(self) -> RoutingType:
        """Routing type of the format; used until the classifier determines a better one."""
        return self.format.routing_type


def extension_of(name: str) -> str:
    """Return the extension of a document's name, lower case with the dot, or ''."""
    return PurePath(name.replace("\\", "/")).suffix.lower()


def agree(content: str, named: str) -> bool:
    """Return whether a name or declaration of type `named` is correct for content of type `content`."""
    return content == named or content in _GENERIC.get(named, frozenset())


def verdict(media_type: str, *, name: str, declared: str | None = None, encrypted: bool = False) -> Detected:
    """Compare the content's type with the name and with the type that a server or mail declared.

    Args:
        media_type: type by content.
        name: the document's name.
        declared: a declared media type, parameters allowed; generic ones such as octet-stream are not compared.
        encrypted: whether the content is encrypted.
    """
    extension = extension_of(name)
    named = format_for_extension(extension)
    parts: list[str] = []
    if named is not None and not agree(media_type, named.media_type):
        parts.append(f"the name ends in {extension}, the extension of {named.name}")
    declared_format = format_of(declared.partition(";")[0].strip().lower()) if declared else UNKNOWN
    if declared_format is not UNKNOWN and not agree(media_type, declared_format.media_type):
        parts.append(f"the declared type is {declared_format.media_type}")
    mismatch = None
    if parts:
        what = format_of(media_type)
        content = "of an unknown format" if what is UNKNOWN else what.name
        mismatch = f"The content is {content}, but {' and '.join(parts)}."
    return Detected(
        media_type=media_type,
        extension_media_type=named.media_type if named else None,
        mismatch=mismatch,
        encrypted=encrypted,
    )
