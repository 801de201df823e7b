"""The documents of a manifest, their truths, and the groups that tables speak of."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TIERS = ("smoke", "core", "full")
"""Each tier holds those before it."""

_GROUPS = (
    ("bad input", ("bad-", "url-policy", "audio-silence", "image-no-text")),
    ("audio", ("audio-",)),
    ("PDF tables", ("pdf-table",)),
    ("scans", ("pdf-scanned", "pdf-bad-text-layer", "scan-")),
    ("PDF text", ("pdf-", "qa-pdf")),
    ("HTML", ("html-", "qa-html")),
    ("office", ("docx-", "odt", "odp", "pptx-", "ppt-", "qa-docx", "rtf")),
    ("sheets", ("csv", "xlsx-", "xls-", "ods")),
    ("e-mail", ("email-",)),
    ("images", ("image-",)),
)
OTHER = "other"
NOT_RANKED = frozenset({"audio", "bad input"})
"""Groups that stand apart: no engine of documents reads audio, and bad input asks for an outcome, not for a text."""


@dataclass(frozen=True, kw_only=True)
class Truth:
    """One truth of a document.

    Attributes:
        kind: how it is compared: text, markdown, cells_json …; see `scoring`.
        path: the file.
        is_gold: made or checked by people, or exact by construction.
    """

    kind: str
    path: Path
    is_gold: bool

    def text(self) -> str:
        """The file's text."""
        return self.path.read_text(encoding="utf-8")

    def data(self) -> Any:
        """The file's JSON."""
        return json.loads(self.text())


@dataclass(frozen=True, kw_only=True)
class Document:
    """A document whose content is known.

    Attributes:
        id: unique in the manifest.
        path: the file.
        kind: what tables have a row for.
        tier: how often it is looked at.
        language: BCP 47; 'en' where the manifest is silent.
        source: where it comes from; documents of one source never stand in two folds.
        truths: at least one.
        password: what opens it, or None.
        tags: what the manifest says of it besides.
    """

    id: str
    path: Path
    kind: str
    tier: str = "core"
    language: str = "en"
    source: str = ""
    truths: tuple[Truth, ...] = ()
    password: str | None = None
    tags: frozenset[str] = frozenset()

    @property
    def group(self) -> str:
        """The group of its kind."""
        return group_of(self.kind)


def group_of(kind: str) -> str:
    """The group of kinds that a kind is in; `other` where none names it."""
    for name, beginnings in _GROUPS:
        if kind.startswith(beginnings):
            return name
    return OTHER


def load(path: Path, *, tier: str | None = None, kinds: Collection[str] = ()) -> list[Document]:
    """The documents of a manifest that have a truth to be held to.

    Args:
        path: a JSON file with `documents`; its paths are relative to its folder.
        tier: leave out the tiers after this one; None for all.
        kinds: only these; empty for all.

    Raises:
        ValueError: no such tier.
    """
    if tier is not None and tier not in TIERS:
        raise ValueError(f"no tier named {tier!r}; there are {', '.join(TIERS)}")
    wanted = TIERS if tier is None else TIERS[: TIERS.index(tier) + 1]
    rows = json.loads(path.read_text(encoding="utf-8"))["documents"]
    found = [_document(row, path.parent) for row in rows]
    return [item for item in found if item.tier in wanted and item.truths and (not kinds or item.kind in kinds)]


def _document(row: dict[str, Any], folder: Path) -> Document:
    return Document(
        id=row["id"],
        path=folder / row["path"],
        kind=row["kind"],
        tier=row.get("tier", "core"),
        language=row.get("language") or "en",
        source=(row.get("source") or {}).get("repo", row["id"]),
        truths=_truths(row.get("ground_truths", ()), folder),
        password=row.get("password"),
        tags=frozenset(row.get("tags", ())),
    )


def _truths(rows: Sequence[dict[str, Any]], folder: Path) -> tuple[Truth, ...]:
    """The truths that say what a text is to hold; of two of one kind the one that people made."""
    from .scoring import MEASURES

    found: dict[str, Truth] = {}
    for row in rows:
        truth = Truth(kind=row["type"], path=folder / row["path"], is_gold=row.get("quality", "gold") == "gold")
        if truth.kind in MEASURES and truth.path.suffix != ".csv" and (truth.is_gold or truth.kind not in found):
            found[truth.kind] = truth
    return tuple(found.values())
