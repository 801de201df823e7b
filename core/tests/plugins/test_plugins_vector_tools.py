"""The embedder of a library, or the reason why there is none."""

from __future__ import annotations

import gc
import weakref

import pytest
from octavo.plugins.services import Services
from octavo.plugins.vector_tools import VectorTools
from octavo_contracts import ToolUnavailable


class Answer:
    """What a search holds."""


def test_a_search_without_an_embedder_leaves_nothing_behind() -> None:
    """The reason is kept and raised for every search: with it, the frames of every search before would be kept."""
    tools = VectorTools(lambda: Services(()))

    def search() -> weakref.ref[Answer]:
        held = Answer()
        try:
            tools.embed(["tide"])
        except ToolUnavailable:
            return weakref.ref(held)
        raise AssertionError("an embedder was found among no services")

    ended = [search() for _ in range(5)]
    gc.collect()
    assert [one() for one in ended] == [None] * 5


def test_the_reason_is_that_of_the_first_failure_and_not_marked_by_a_caller() -> None:
    """A caller adds the document that it works on to its error, not to that of the next caller."""
    tools = VectorTools(lambda: Services(()))
    with pytest.raises(ToolUnavailable) as first:
        tools.embed(["tide"])
    assert first.value.message == "no installed plugin creates vectors"
    first.value.located(source="tide-table.csv")
    with pytest.raises(ToolUnavailable) as second:
        tools.embed(["tide"])
    assert second.value.source is None
