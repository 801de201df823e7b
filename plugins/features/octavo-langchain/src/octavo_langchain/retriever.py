"""Retrieves the chunks of a library for LangChain."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from octavo_library import Library
from octavo_library.search import SearchHit
from pydantic import Field


class OctavoRetriever(BaseRetriever):
    """Retrieves the chunks of an open library that match a query best.

    Each `Document` has the chunk's text; its metadata has `document_id`, `version`, `chunk_id`, `locator` (which
    `octavo_contracts.resolve_locator` resolves to the same text), `score`, and `title` and `page` where they are known.
    """

    library: Library = Field(description="An open library. The retriever does not close it.", exclude=True)
    k: int = Field(default=4, ge=1, description="Number of chunks to return at most.")
    corpus: str | None = Field(default=None, description="Name of the corpus to search, under its policy.")
    vectors: bool | None = Field(
        default=None, description="Whether to compare meanings as well; by default as in the library's settings."
    )

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return [_document(hit) for hit in self.library.search(query, **self._options(**kwargs))]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Document]:
        return [_document(hit) for hit in await self.library.asearch(query, **self._options(**kwargs))]

    def _options(self, *, k: int | None = None) -> dict[str, Any]:
        return {"limit": self.k if k is None else k, "corpus": self.corpus, "vectors": self.vectors}


def _document(hit: SearchHit) -> Document:
    known = {
        "document_id": hit.document_id,
        "version": hit.version,
        "chunk_id": hit.chunk_id,
        "locator": hit.locator,
        "score": hit.score,
        "title": hit.title,
        "page": hit.page,
    }
    return Document(
        id=f"{hit.document_id}:{hit.version}:{hit.locator}",
        page_content=hit.snippet,
        metadata={key: value for key, value in known.items() if value is not None},
    )
