"""The retriever over a real library; LangChain's own standard tests for retrievers run where `langchain-tests` is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("langchain_core", reason="the extra `langchain` is not installed")
from langchain_core.retrievers import BaseRetriever
from octavo_contracts import resolve_locator
from octavo_langchain import OctavoRetriever
from octavo_library import Library

if TYPE_CHECKING:
    from langchain_tests.integration_tests import RetrieversIntegrationTests
else:
    try:
        from langchain_tests.integration_tests import RetrieversIntegrationTests
    except ImportError:

        class RetrieversIntegrationTests:
            """Stands in where `langchain-tests` is not installed: `tox -e loaders` has it."""

            def test_the_standard_tests_run_elsewhere(self) -> None:
                pytest.skip("langchain-tests is not installed: run `tox -e loaders`")


_opened: dict[str, Library] = {}


@pytest.fixture(scope="module", autouse=True)
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("harbour")
    sources = folder / "sources"
    sources.mkdir()
    for number in range(5):
        (sources / f"{number}.md").write_text(f"# Day {number}\n\nThe gauge read {number} m.\n", encoding="utf-8")
    with Library.open(folder / "library") as opened:
        list(opened.ingest_many([sources]))
        _opened["library"] = opened
        yield opened
    _opened.clear()


class TestStandard(RetrieversIntegrationTests):
    """LangChain's standard tests."""

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return OctavoRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"library": _opened["library"]}

    @property
    def retriever_query_example(self) -> str:
        return "gauge"


def test_a_chunk_is_the_text_at_its_locator(library: Library) -> None:
    found = OctavoRetriever(library=library, k=5).invoke("gauge read")

    assert len(found) == 5
    for one in found:
        text = library.document(one.metadata["document_id"]).canonical_text
        assert resolve_locator(text, one.metadata["locator"]) == one.page_content


def test_k_can_be_given_with_a_query_and_in_an_event_loop(library: Library) -> None:
    retriever = OctavoRetriever(library=library)

    assert len(retriever.invoke("gauge", k=2)) == 2
    assert asyncio.run(retriever.ainvoke("gauge", k=2)) == retriever.invoke("gauge", k=2)


def test_k_below_one_is_refused(library: Library) -> None:
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        OctavoRetriever(library=library, k=0)


def test_nothing_found_is_an_empty_list(library: Library) -> None:
    assert OctavoRetriever(library=library).invoke("submarine") == []
