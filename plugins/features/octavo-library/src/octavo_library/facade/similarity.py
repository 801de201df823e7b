"""Finds documents with the same text in other bytes, or with much of the same wording (STO-9).

Documents are never merged: similar ones are suggested, and a user may link them.

A text is cut into overlapping runs of four words, each run is hashed, and the smallest hashes are its sketch
(Broder 1997, "On the resemblance and containment of documents": min-wise sampling without replacement). The share of
common hashes among the smallest of both sketches estimates the Jaccard similarity J of the two sets of runs, with a
standard error of sqrt(J(1-J)/SKETCH), at most 0.03. Each of the KEYS smallest hashes of the union of two texts is in
both with probability J, and is then among the KEYS smallest of each: so two texts share a key, and find each other by
an index, with probability 1-(1-J)^KEYS: 0.996 at J = 0.5.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import nsmallest
from typing import Literal

from octavo_contracts import UsageError

from ..storage import ArtifactStore, Index, PolicyContext, Sketched
from ..storage.files.stored_files import name_of
from ..storage.version_files import CANONICAL, version_refs

SKETCH = 256
"""Hashes in a sketch."""

KEYS = 8
"""Hashes of a sketch that are indexed as its keys."""

RUN = 4
"""Words in a run."""

BATCH = 200
"""Sketches made between two transactions."""

_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(f"[{_IDEOGRAPHS}]|[^\\W_{_IDEOGRAPHS}]+")
"""A word; in scripts without spaces between words, each character is a word."""


@dataclass(frozen=True, kw_only=True)
class Similar:
    """A similar document.

    Attributes:
        document_id: the document.
        title: its title.
        kind: `same_text` if the canonical texts are equal, else `similar_text`.
        score: estimated share of common wording, 0..1; 1 for the same text.
    """

    document_id: str
    title: str | None
    kind: Literal["same_text", "similar_text"]
    score: float


def sketch_text(text: str) -> tuple[str, ...]:
    """The sketch of a text: up to `SKETCH` hashes of 16 hex digits, ascending; none for a text without words."""
    return tuple(nsmallest(SKETCH, {_hash(run) for run in _runs(text)}))


def similarity(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """The estimated Jaccard similarity of two sketched texts, 0..1."""
    smallest = nsmallest(SKETCH, set(one) | set(other))
    common = set(one) & set(other)
    return sum(value in common for value in smallest) / len(smallest) if smallest else 0.0


def update_sketches(artifacts: ArtifactStore, index: Index) -> int:
    """Make the missing sketches of active versions; `similar_documents` calls this automatically.

    Returns:
        The number of new sketches.

    Raises:
        StorageError: a text cannot be read.
    """
    made = 0
    while sketches := _missing(artifacts, index, limit=BATCH):
        index.sketches.put(sketches, keys=KEYS)
        made += len(sketches)
    return made


def _missing(artifacts: ArtifactStore, index: Index, *, limit: int = 1_000_000_000) -> list[Sketched]:
    """Compute at most `limit` missing sketches, without storing them."""
    sketches = []
    for one in index.sketches.unsketched(limit=limit):
        folder = version_refs(one.raw_hash, one.version, original="").conversion
        # `octavo verify-store` reports missing and altered texts; here such a text is similar to no other.
        text = (artifacts.find(name_of(f"{folder}/{CANONICAL}")) or b"").decode("utf-8", "replace")
        sketches.append(Sketched(document_id=one.document_id, version=one.version, hashes=sketch_text(text)))
    return sketches


def asker_of_similar(index: Index, corpus: str | None, *, policy: PolicyContext | None) -> PolicyContext:
    """The policy context under which similar documents are suggested.

    Args:
        index: the library's index.
        corpus: the asking corpus, or None.
        policy: the policy context of the document object; None: the library's owner.

    Raises:
        UsageError: no such corpus, or its policy differs from that of the document object.
    """
    if corpus is None:
        return policy or PolicyContext()
    own = index.corpora.get(corpus).policy
    if policy not in (None, own):
        raise UsageError(f"the policy of corpus {corpus!r} differs from that of the document object")
    return own


def similar_documents(
    artifacts: ArtifactStore,
    index: Index,
    document_id: str,
    *,
    policy: PolicyContext,
    threshold: float = 0.5,
    limit: int = 10,
) -> list[Similar]:
    """Similar documents that were ingested under a policy (STO-5), the most similar first.

    Args:
        artifacts: the library's files.
        index: the library's index.
        document_id: the document.
        policy: the asking policy context.
        threshold: minimum score, 0..1.
        limit: maximum number of documents.
    """
    fresh = {} if index.read_only is None else {one.document_id: one for one in _missing(artifacts, index)}
    if index.read_only is None:
        update_sketches(artifacts, index)
    own = fresh.get(document_id) or index.sketches.get(document_id)
    if own is None or not own.hashes:
        return []  # else all documents without words would be similar
    text_hash = index.documents.get(document_id).normalized_text_hash
    same = set(index.documents.with_hash("text", text_hash, policy=policy)) if text_hash else set()
    near = {one.document_id: one for one in index.sketches.sharing(own.hashes[:KEYS], policy=policy)}
    if fresh:
        visible = [one.document_id for one in index.documents.get_many(fresh, policy=policy)]
        near |= {one: fresh[one] for one in visible if set(fresh[one].hashes[:KEYS]) & set(own.hashes[:KEYS])}
    scores = {one.document_id: similarity(own.hashes, one.hashes) for one in near.values()} | dict.fromkeys(same, 1.0)
    scores.pop(document_id, None)
    ranked = sorted((-score, other) for other, score in scores.items() if score >= threshold or other in same)
    return [
        Similar(
            document_id=other,
            title=index.documents.get(other, policy=policy).title,
            kind="same_text" if other in same else "similar_text",
            score=-negative,
        )
        for negative, other in ranked[:limit]
    ]


def _runs(text: str) -> Iterator[str]:
    words = [match[0] for match in _WORD.finditer(text.casefold())]
    for start in range(max(1, len(words) - RUN + 1)) if words else ():
        yield "\x1f".join(words[start : start + RUN])


def _hash(run: str) -> str:
    return hashlib.blake2b(run.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
