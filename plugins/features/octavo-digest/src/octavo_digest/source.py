"""Sources of a research host, and digested sources as views of them (DIG-4, DIG-11, DIG-29, DIG-31, R-6)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from octavo_contracts import DIGEST_CONTENT_TYPE, DigestPayload, is_digest
from octavo_text.canonical import CanonicalText

from .policy import SourceQuality
from .wire import serialize_payload

PLAIN = "text/plain"
STATE_KEYS = ("_digest_",)
"""Prefixes of the private metadata keys that a saved state keeps; no other private key is ever written."""

_TRACKING = ("utm_", "fbclid", "gclid", "mc_cid", "mc_eid")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def normalise_url(url: str) -> str:
    """Normalise a URL: case, default port, fragment, tracking parameters, escapes.

    Text that is not a URL is returned unchanged.
    """
    try:
        return _normalised(url)
    except ValueError:  # also a lone surrogate, which cannot be escaped
        return url


def _normalised(url: str) -> str:
    parts = urlsplit(url.strip())
    host, port = parts.hostname, parts.port
    if not parts.scheme or not host:
        return url
    scheme = parts.scheme.lower()
    shown = f"[{host}]" if ":" in host else host
    netloc = shown if port is None or port == _DEFAULT_PORTS.get(scheme) else f"{shown}:{port}"
    path = quote(unquote(parts.path), safe="/:@!$&'()*+,;=~-._") or "/"
    kept = [(key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if not _tracks(key)]
    return urlunsplit((scheme, netloc, path, urlencode(sorted(kept)), ""))


def source_id_for(*, url: str | None, content: str | CanonicalText) -> str:
    """Return an id that is the same in every run, from the normalised URL, else from the content (DIG-19)."""
    if url:
        return "url-" + hashlib.sha256(normalise_url(url).encode("utf-8", "surrogatepass")).hexdigest()[:24]
    text = content.text if isinstance(content, CanonicalText) else content
    return "text-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A source. Its content never changes: a digest is a separate view.

    Attributes:
        content: the original text, or its canonical text; empty if there is none.
        content_type: 'text/plain', 'text/html' or 'digest/v1'.
        id: by default derived from the URL or the content.
        url: its URL.
        title: its title.
        snippet: excerpt from a search engine.
        quality: its quality.
        relevance: relevance to the query, 0..1.
        metadata: the host's metadata; keys that begin with '_' are private.
        document_id: id of the library's document, if it is one.
        conversion_version: the document's version.
    """

    content: str | CanonicalText = field(default="", repr=False)
    content_type: str = PLAIN
    id: str = ""
    url: str | None = None
    title: str | None = None
    snippet: str | None = field(default=None, repr=False)
    quality: SourceQuality = SourceQuality.UNKNOWN
    relevance: float = 0.0
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)
    document_id: str | None = None
    conversion_version: str | None = None

    def __post_init__(self) -> None:
        if not self.id:
            object.__setattr__(self, "id", source_id_for(url=self.url, content=self.content))
        object.__setattr__(self, "metadata", MappingProxyType(dict(self.metadata)))

    @property
    def is_digest(self) -> bool:
        """True if the content is a digest."""
        return is_digest(self.content_type)

    @property
    def size(self) -> int:
        """Code points of the content."""
        return len(self.content.text if isinstance(self.content, CanonicalText) else self.content)

    def to_dict(self) -> dict[str, Any]:
        """Convert to a dict without private metadata."""
        return _as_dict(self, _without_private(self.metadata, keep=()))

    def to_state(self) -> dict[str, Any]:
        """Convert to a dict for the host's saved state, with the `_digest_*` metadata and no other private keys."""
        return _as_dict(self, _without_private(self.metadata, keep=STATE_KEYS))


@dataclass(frozen=True, kw_only=True)
class DigestedSource:
    """A source represented by its digest, with the interface of a source (DIG-29).

    Attributes:
        source: the source itself, with its content.
        payload: the digest.
        notes: `_digest_*` metadata: whether it came from the cache, and the hash under which it is archived.
    """

    source: Source
    payload: DigestPayload
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The source's id."""
        return self.source.id

    @property
    def url(self) -> str | None:
        """The source's URL."""
        return self.source.url

    @property
    def title(self) -> str | None:
        """The source's title."""
        return self.source.title

    @property
    def content(self) -> str:
        """The payload as JSON."""
        return serialize_payload(self.payload)

    @property
    def content_type(self) -> str:
        """'digest/v1'."""
        return DIGEST_CONTENT_TYPE

    @property
    def is_digest(self) -> bool:
        """True: it must not be summarised or digested again."""
        return True

    @property
    def size(self) -> int:
        """Size for budgeting: the code points of the digest (DIG-4)."""
        return self.payload.digest_chars

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The source's metadata and the digest's notes."""
        return {**self.source.metadata, **self.notes}

    def citations(self) -> list[tuple[str, str]]:
        """Return the quotations to cite, with their locators, best first (DIG-4)."""
        return [(snippet.text, snippet.locator) for snippet in self.payload.evidence_snippets]

    def to_dict(self) -> dict[str, Any]:
        """Convert to a dict with the digest as content and without private metadata."""
        return {**self.source.to_dict(), "content": self.content, "content_type": self.content_type}

    def to_state(self) -> dict[str, Any]:
        """Convert to a dict for the host's saved state, with the `_digest_*` metadata."""
        state = {**self.source.to_state(), "content": self.content, "content_type": self.content_type}
        return {**state, "metadata": {**state["metadata"], **self.notes}}


def _as_dict(source: Source, metadata: dict[str, Any]) -> dict[str, Any]:
    content = source.content
    return {
        "id": source.id,
        "url": source.url,
        "title": source.title,
        "content": content.text if isinstance(content, CanonicalText) else content,
        "content_type": source.content_type,
        "snippet": source.snippet,
        "quality": source.quality.value,
        "relevance": source.relevance,
        "metadata": metadata,
        "document_id": source.document_id,
        "conversion_version": source.conversion_version,
    }


def _without_private(value: Any, *, keep: tuple[str, ...], within: frozenset[int] = frozenset()) -> Any:
    """Copy metadata without private keys, at any depth (DIG-31).

    Args:
        value: the metadata, or a part of them.
        keep: prefixes of the private keys to keep.
        within: ids of the enclosing parts: a part that contains itself becomes None, because JSON cannot represent it.
    """
    # The elements of a set are hashable, so they are not mappings with keys.
    if not isinstance(value, Mapping | list | tuple):
        return value
    if id(value) in within:
        return None
    inner = within | {id(value)}
    if isinstance(value, Mapping):
        return {
            key: _without_private(part, keep=keep, within=inner)
            for key, part in value.items()
            if not (isinstance(key, str) and key.startswith("_")) or (keep and key.startswith(keep))
        }
    parts = [_without_private(part, keep=keep, within=inner) for part in value]
    return parts if isinstance(value, list) else tuple(parts)


def _tracks(key: str) -> bool:
    return key.lower().startswith(_TRACKING)
