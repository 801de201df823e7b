"""Settings of a digestor, with the names used by a research host (DIG-25, DIG-33)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Self

from octavo_contracts import UsageError
from octavo_text.chunking import ChunkingConfig

from .evidence import EvidenceSettings
from .policy import DigestPolicy
from .scoring import DEFAULT_SCORER

PREFIX = "deep_research_"

KEYS: Mapping[str, str] = {
    "deep_research_digest_policy": "policy",
    "deep_research_digest_min_chars": "min_chars",
    "deep_research_digest_max_sources": "max_sources",
    "deep_research_digest_timeout": "timeout",
    "deep_research_digest_max_concurrent": "max_concurrent",
    "deep_research_digest_include_evidence": "include_evidence",
    "deep_research_digest_evidence_max_chars": "evidence_max_chars",
    "deep_research_digest_max_evidence_snippets": "max_evidence_snippets",
    "deep_research_digest_fetch_pdfs": "fetch_pdfs",
    "deep_research_digest_scorer": "scorer",
    "deep_research_archive_content": "archive_content",
    "deep_research_archive_retention_days": "archive_retention_days",
    "deep_research_archive_dir": "archive_dir",
    "deep_research_follow_links": "follow_links",
}
"""Host's key → field of `DigestConfig`."""


@dataclass(frozen=True, kw_only=True)
class DigestConfig:
    """Settings of a digestor. Sizes are in code points, times in seconds.

    Attributes:
        policy: which sources are digested.
        min_chars: shortest source under the policy `auto`.
        max_sources: maximum number of digested sources in a batch.
        timeout: deadline of one source; a batch gets it once per `max_concurrent` sources.
        max_concurrent: sources digested concurrently.
        include_evidence: whether to include evidence.
        evidence_max_chars: longest snippet, 1..500.
        max_evidence_snippets: 0..10.
        fetch_pdfs: whether to fetch PDF files; the egress policy must allow it too.
        scorer: scorer that ranks passages.
        archive_content: whether to archive canonical texts.
        archive_retention_days: how long to keep them; 0: permanently.
        archive_dir: the archive folder.
        follow_links: whether to fetch pages that are not PDF files.
        chunking: chunking config.
    """

    policy: DigestPolicy = DigestPolicy.AUTO
    min_chars: int = 10_000
    max_sources: int = 8
    timeout: float = 60.0
    max_concurrent: int = 3
    include_evidence: bool = True
    evidence_max_chars: int = 400
    max_evidence_snippets: int = 5
    fetch_pdfs: bool = False
    scorer: str = DEFAULT_SCORER
    archive_content: bool = False
    archive_retention_days: int = 30
    archive_dir: Path = field(default_factory=lambda: Path.home() / ".octavo" / "digest-archive")
    follow_links: bool = True
    chunking: ChunkingConfig = field(default_factory=ChunkingConfig)

    def __post_init__(self) -> None:
        _number(self, "min_chars", low=0)
        _number(self, "max_sources", low=1)
        _number(self, "timeout", low=0.001, high=86_400.0)
        _number(self, "max_concurrent", low=1, high=64)
        _number(self, "evidence_max_chars", low=1, high=500)
        _number(self, "max_evidence_snippets", low=0, high=10)
        _number(self, "archive_retention_days", low=0)

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> Self:
        """Read settings by the host's keys; omitted keys keep their defaults.

        Raises:
            UsageError: an unknown `deep_research_digest_*` key or an invalid value; the message names the key.
        """
        changes: dict[str, Any] = {}
        for key, value in settings.items():
            if key not in KEYS:
                if key.startswith(f"{PREFIX}digest_"):
                    raise UsageError(f"unknown setting {key}; the settings are {', '.join(KEYS)}")
                continue
            changes[KEYS[key]] = _value(key, KEYS[key], value)
        return replace(cls(), **changes)

    @property
    def evidence(self) -> EvidenceSettings:
        """The settings for evidence."""
        count = self.max_evidence_snippets if self.include_evidence else 0
        return EvidenceSettings(max_snippets=count, max_chars=self.evidence_max_chars, chunking=self.chunking)

    def output_hash(self, *, scorer: str, summariser: str) -> str:
        """Hash exactly the settings that change a payload: 64 hex digits (DIG-19).

        Args:
            scorer: name of the scorer.
            summariser: name of the summariser with model and prompt version.
        """
        sizes = self.chunking
        parts = [
            self.evidence.max_snippets,
            self.evidence_max_chars if self.evidence.max_snippets else 0,
            [sizes.target, sizes.maximum, sizes.minimum],
            scorer,
            summariser,
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


_HOST_KEYS = {name: key for key, name in KEYS.items()}


@cache
def _types() -> dict[str, type]:
    """Return the type of each field, derived from its default."""
    default = DigestConfig()
    return {item.name: type(getattr(default, item.name)) for item in fields(default)}


def _value(key: str, name: str, value: Any) -> Any:
    kind = _types()[name]
    if kind is DigestPolicy:
        if value not in tuple(DigestPolicy):
            raise UsageError(f"{key} must be one of {', '.join(DigestPolicy)}, got {value!r}")
        return DigestPolicy(value)
    if issubclass(kind, Path) and isinstance(value, str | Path):
        return Path(value).expanduser()
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    # A bool is an int in Python, but not a valid number in settings.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise UsageError(f"{key} must be {_ARTICLES.get(kind, kind.__name__)}, got {value!r}")
    return value


_ARTICLES = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def _number(config: DigestConfig, name: str, *, low: float, high: float | None = None) -> None:
    value = getattr(config, name)
    if not (value >= low and (high is None or value <= high)):
        limit = f"at least {low:g}" if high is None else f"{low:g} to {high:g}"
        raise UsageError(f"{_HOST_KEYS[name]} must be {limit}, got {value!r}")
