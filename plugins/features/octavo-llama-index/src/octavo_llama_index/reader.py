"""Reads documents into LlamaIndex."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from llama_index.core.bridge.pydantic import Field
from llama_index.core.readers.base import BasePydanticReader
from llama_index.core.schema import Document
from octavo.conversion.document_loader import LoadSource, load_records
from octavo.conversion.text_records import TextRecord

READ_BY_MODELS = frozenset({"title", "author", "date", "page", "page_label", "document_type"})
"""Metadata that LlamaIndex puts in front of a text for embedders and models; offsets and ids would only dilute it."""


class OctavoReader(BasePydanticReader):
    """Reads files, folders, URLs and patterns, converted by Octavo.

    Each text is a LlamaIndex `Document` with flat metadata: `source`, `document_id`, `title`, `page`, `start`, `end`,
    `quality`, `flags` and more, as far as they are known. The same bytes give the same ids.

        SimpleDirectoryReader("papers", file_extractor={".pdf": OctavoReader()}).load_data()
    """

    unit: Literal["page", "document", "chunk"] = Field(
        default="page",
        description="What one LlamaIndex document is: the markdown of a page or of the document, or a chunk of the canonical text.",
    )
    plugin: str | None = Field(default=None, description="The plugin to convert with.")
    profile: str | None = Field(default=None, description="Name of the routing profile.")
    password: str | None = Field(
        default=None, exclude=True, repr=False, description="Password of encrypted documents; never serialised."
    )
    timeout: float | None = Field(default=None, description="Seconds that a plugin may take.")
    on_failure: Literal["raise", "warn"] = Field(
        default="raise", description='"warn" logs a document that cannot be converted and goes on.'
    )
    jobs: int | None = Field(default=None, ge=1, description="Documents converted at once; by default one a core.")

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex serialises the reader."""
        return "OctavoReader"

    def lazy_load_data(
        self,
        file: LoadSource | Iterable[LoadSource],
        extra_info: Mapping[str, Any] | None = None,
        **load_kwargs: Any,
    ) -> Iterator[Document]:
        """Yield the documents of a file, a folder, a URL, a pattern, or several of them, as they are converted.

        Args:
            file: named as `SimpleDirectoryReader` names it.
            extra_info: metadata of the caller, for each document; where it has a key of Octavo's, the caller's value counts.
            load_kwargs: `fs`, a file system that `SimpleDirectoryReader` was given, is refused: its files are not on this
                machine. Others are an error.

        Raises:
            UsageError: no such plugin or profile.
            OctavoError: a document cannot be converted, and `on_failure` is not "warn".
            TypeError: an argument that the reader does not have.
        """
        if load_kwargs:
            raise TypeError(f"OctavoReader reads files of this machine and takes no {', '.join(sorted(load_kwargs))}")
        records = load_records(
            file,
            unit=self.unit,
            plugin=self.plugin,
            profile=self.profile,
            password=self.password,
            timeout=self.timeout,
            on_failure=self.on_failure,
            jobs=self.jobs,
        )
        return (_document(record, extra_info or {}) for record in records)


def _document(record: TextRecord, extra: Mapping[str, Any]) -> Document:
    metadata = {**record.metadata, **extra}
    hidden = sorted(metadata.keys() - READ_BY_MODELS)
    return Document(
        id_=record.record_id,
        text=record.text,
        metadata=metadata,
        excluded_embed_metadata_keys=hidden,
        excluded_llm_metadata_keys=hidden,
    )
