"""Files at providers: uploaded once, through egress and the cloud gate, again when they change or expire (CTX-12, CTX-15)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from octavo_conformance.loopback import Asked, Reply, serving
from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_lines
from octavo_context import ContextManager, ProviderAccount, ProviderFiles
from octavo_contracts import AuthUnavailable, PolicyRefused, ToolUnavailable
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.facade.document import Document
from octavo_library.storage import DocumentSend
from pydantic import SecretStr

MODELS: dict[Any, str] = {"anthropic": "claude-sonnet-4-5", "openai": "gpt-5", "google": "gemini-2.5-pro"}
LINES = [f"Line {number} of a document that many conversations use." for number in range(30)]
PDF = PdfFile(pages=[PdfPage(content=show_lines(LINES))], info={"Title": "Reference"}).to_bytes()


class Provider:
    """A server that takes files as the three providers do."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.status = 200
        self.expires: datetime | None = None

    def __call__(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        if self.status != 200:
            return Reply(status=self.status, body=b"{}")
        name = f"file_{len(self.asked)}"
        expires = self.expires.timestamp() if self.expires is not None else None
        answer: dict[str, Any] = {"id": name, "expires_at": expires}
        if "upload/v1beta" in asked.path:
            answer = {"file": {"uri": f"https://files.example/{name}", "expirationTime": "2026-12-24T00:00:00Z"}}
        return Reply(body=json.dumps(answer).encode(), headers={"Content-Type": "application/json"})


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
def accounts(provider: Provider) -> Iterator[dict[Any, ProviderAccount]]:
    with serving(provider) as port:
        url = f"http://127.0.0.1:{port}"
        yield {name: ProviderAccount(key=SecretStr(f"key of {name}"), base_url=url) for name in MODELS}


@pytest.fixture
def document(library: Library) -> Document:
    library.corpora.create("shared", CorpusSettings(visibility="cloud_allowed", cloud=True))
    taken = library.ingest(PDF, name="reference.pdf", corpus="shared")
    return library.document(str(taken.document_id))


@pytest.mark.parametrize("name", list(MODELS))
def test_a_reference_document_is_uploaded_once_and_named_from_then_on(
    library: Library, document: Document, provider: Provider, accounts: dict[Any, ProviderAccount], name: Any
) -> None:
    files = ProviderFiles(library, accounts=accounts)
    files.mark_reference(document)
    manager = ContextManager(library, files=files)
    blocks = [
        manager.prepare_document_context(document, "c", MODELS[name], "", force_tier=1).content_blocks[0]
        for _ in range(2)
    ]
    assert blocks[0] == blocks[1]
    assert PDF not in json.dumps(blocks[0]).encode()
    assert "file_1" in json.dumps(blocks[0])
    (asked,) = provider.asked
    assert PDF in asked.body
    assert f"key of {name}" in str(asked.headers)
    record = files.record(document, name)
    assert record is not None
    assert record.file_hash == document.raw_hash


def test_what_is_small_or_used_once_is_not_uploaded(
    library: Library, document: Document, provider: Provider, accounts: dict[Any, ProviderAccount]
) -> None:
    files = ProviderFiles(library, accounts=accounts)
    assert files.keep(document, "anthropic") is None
    for number in range(3):
        assert not files.is_worth_it(document, size=5_000_001)
        send = DocumentSend(document_id=document.id, conversation_id=f"c{number}", tier=1, tokens=1)
        library.context.index.conversations.record_send(send)
    assert files.is_worth_it(document, size=5_000_001)
    assert not files.is_worth_it(document, size=5_000_000)
    assert provider.asked == []


def test_files_are_uploaded_again_before_they_expire_and_after_they_are_gone(
    library: Library, document: Document, provider: Provider, accounts: dict[Any, ProviderAccount]
) -> None:
    now = datetime(2026, 11, 24, 12, tzinfo=UTC)
    moment = [now]
    files = ProviderFiles(library, accounts=accounts, clock=lambda: moment[0])
    files.mark_reference(document)
    provider.expires = now + timedelta(days=2)
    assert files.keep(document, "openai") == files.keep(document, "openai")
    moment[0] = now + timedelta(days=2, minutes=-30)
    assert files.valid_id(document, "openai") == "file_1"
    provider.expires = now + timedelta(days=4)
    files.keep(document, "openai")
    assert files.valid_id(document, "openai") == "file_2"
    assert files.forget(document, "openai")
    assert files.valid_id(document, "openai") is None
    files.keep(document, "openai")
    assert files.valid_id(document, "openai") == "file_3"
    moment[0] = now + timedelta(days=9)
    assert files.valid_id(document, "openai") is None


def test_an_upload_of_other_bytes_is_not_used(
    library: Library, document: Document, accounts: dict[Any, ProviderAccount]
) -> None:
    files = ProviderFiles(library, accounts=accounts)
    upload = files.upload(document, "anthropic")
    library.context.index.uploads.put(replace(upload, file_hash="0" * 64))
    assert files.valid_id(document, "anthropic") is None


def test_a_document_that_its_corpus_keeps_here_is_not_uploaded(
    library: Library, provider: Provider, accounts: dict[Any, ProviderAccount]
) -> None:
    library.corpora.create("sealed", CorpusSettings(visibility="firewalled"))
    sealed = library.document(str(library.ingest(PDF, name="sealed.pdf", corpus="sealed").document_id))
    plain = library.document(str(library.ingest(PDF[:-1] + b"\n\n", name="plain.pdf").document_id))
    files = ProviderFiles(library, accounts=accounts)
    for one in (sealed, plain):
        with pytest.raises(PolicyRefused, match="the files of anthropic was not called"):
            files.upload(one, "anthropic")
    assert provider.asked == []


def test_without_an_account_nothing_is_uploaded(library: Library, document: Document) -> None:
    with pytest.raises(PolicyRefused, match="there is no account at openai"):
        ProviderFiles(library).upload(document, "openai")


@pytest.mark.parametrize(("status", "kind"), [(401, AuthUnavailable), (500, ToolUnavailable), (404, ToolUnavailable)])
def test_a_provider_that_refuses(
    library: Library,
    document: Document,
    provider: Provider,
    accounts: dict[Any, ProviderAccount],
    status: int,
    kind: type[Exception],
) -> None:
    provider.status = status
    with pytest.raises(kind) as caught:
        ProviderFiles(library, accounts=accounts).upload(document, "anthropic")
    assert "key of" not in str(caught.value)
