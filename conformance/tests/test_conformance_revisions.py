"""Series of documents that a converter must keep apart: states of one document, and documents of one password."""

from __future__ import annotations

import itertools

import pytest
from octavo_conformance.vectors.document_revisions import make_revisions
from octavo_conformance.vectors.locked_documents import make_locked
from octavo_conformance.vectors.sheaf_bytes import SHEAF
from octavo_conformance.vectors.unreadable import WORD_TYPE


@pytest.mark.parametrize("media_type", ["application/pdf", "text/plain", "text/markdown", "text/csv"])
def test_later_states_begin_with_the_bytes_of_the_earlier_one(media_type: str) -> None:
    (series,) = make_revisions(3, [media_type])
    for before, behind in itertools.pairwise(series):
        assert behind.data.startswith(before.data)
        assert behind.expected.pages != before.expected.pages


def test_states_of_a_format_differ_in_words_and_not_in_pages() -> None:
    for series in make_revisions(3, ["application/pdf", "text/html", WORD_TYPE, SHEAF]):
        assert len({one.sha256 for one in series}) == 3
        assert len({len(one.expected.pages) for one in series}) == 1


def test_a_batch_has_one_password_and_more_documents_than_a_threshold_would_have() -> None:
    batches = make_locked(3, ["application/pdf", SHEAF, "text/plain"])
    for batch in batches:
        vectors = (*batch.opened, *batch.refused)
        assert len({one.password for one in vectors}) == 1
        assert len({one.data for one in vectors}) == len(vectors) > 12
    assert len({batch.opened[0].password for batch in batches}) == len(batches) == 4
