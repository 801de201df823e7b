"""The reading of one document by one engine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

from octavo_contracts import Conversion, DocumentClassification, Model, QualityEvidence
from octavo_text.markdown import plain_text
from octavo_text.version_texts import Texts, join_pages

Status = Literal["ok", "partial", "error", "unsupported"]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A document as one engine, or the router, read it.

    Attributes:
        status: `partial` where the result is degraded; `unsupported` where the engine reads no such type.
        tool: the plugin that was taken; the engine's own name where there was no choice.
        conversion: what it read; None where it failed.
        evidence: what the score was given besides; None for a peer.
        recognised: pages that were read by recognition.
        classification: what the classifier saw; None for a peer.
        quality: the score of the conversion; None where it was not assessed.
        flags: what the report raised, notes included.
        noted: those of them that inspection and recognition raised: they do not come of the conversion.
        seconds: wall time.
        peak_rss_mb: of the process that read it, MiB; 0 where it was not measured.
        error: why it failed.
    """

    status: Status
    tool: str
    conversion: Conversion | None = None
    evidence: QualityEvidence | None = None
    recognised: tuple[int, ...] = ()
    classification: DocumentClassification | None = None
    quality: float | None = None
    flags: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()
    seconds: float = 0.0
    peak_rss_mb: float = 0.0
    error: str = ""

    @property
    def markdown(self) -> str:
        """The whole as markdown; empty where it failed."""
        return self._texts.markdown if self._texts else ""

    @property
    def text(self) -> str:
        """The whole as plain text; empty where it failed."""
        return self._texts.canonical.text if self._texts else ""

    @property
    def lines(self) -> str:
        """The whole as plain text with its line ends, which `text` does without."""
        if self.conversion is None:
            return ""
        return "\n\n".join(
            page.text if page.text is not None else plain_text(page.markdown) for page in self.conversion.pages
        )

    @property
    def page_texts(self) -> tuple[str, ...]:
        """The plain text of each page; empty for a document without pages."""
        if self.conversion is None or not self.conversion.paginated:
            return ()
        return tuple(page.text or "" for page in self.conversion.pages)

    @cached_property
    def _texts(self) -> Texts | None:
        if self.conversion is None:
            return None
        pages = tuple(
            page if page.text is not None else page.model_copy(update={"text": plain_text(page.markdown)})
            for page in self.conversion.pages
        )
        return join_pages(self.conversion.model_copy(update={"pages": pages}))

    @property
    def routing_type(self) -> str:
        """What rules of routing speak of; empty where nothing was classified."""
        return self.classification.routing_type.value if self.classification else ""

    def to_json(self) -> str:
        """For a cache on disk."""
        data = {name: getattr(self, name) for name in self.__dataclass_fields__}
        for name in _MODELS:
            data[name] = data[name].model_dump(mode="json") if data[name] else None
        return json.dumps(data)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote."""
        data = json.loads(text)
        models = {
            name: model.model_validate_json(json.dumps(data.pop(name))) if data.get(name) else None
            for name, model in _MODELS.items()
        }
        plain = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
        fields: dict[str, Any] = {**plain, **models}
        return cls(**fields)


_MODELS: dict[str, type[Model]] = {
    "conversion": Conversion,
    "evidence": QualityEvidence,
    "classification": DocumentClassification,
}
