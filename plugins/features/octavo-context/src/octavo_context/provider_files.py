"""Files uploaded to model providers: a large document is uploaded once, then referenced by its id (CTX-12, CTX-15).

Each upload passes the cloud gate, which checks the policies of the document's corpora, and is sent through `octavo_sandbox.egress`.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from octavo_contracts import AuthUnavailable, FetchResponse, PolicyRefused, ToolUnavailable
from octavo_library import Library
from octavo_library.facade.document import Document
from octavo_library.ingestion.cloud_owners import owners_of_document
from octavo_library.storage import FileUpload, PolicyContext, time_text
from octavo_sandbox.egress import own_fetcher
from octavo_sandbox.egress.gate import note_use, pass_gate
from octavo_sandbox.egress.service_client import service_target
from pydantic import SecretStr

from .file_blocks import pdf_block
from .models import Provider

BASE_URLS: Final[Mapping[Provider, str]] = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com",
    "google": "https://generativelanguage.googleapis.com",
}
REFRESH_BEFORE: Final = timedelta(hours=1)
"""Uploads that expire within this time are repeated (CTX-15)."""
_ANSWER_BYTES: Final = 1_000_000
_SECONDS: Final = 300.0
_REMEDY: Final = "Allow cloud services for each corpus of the document, or send the file in the request"


@dataclass(frozen=True, kw_only=True)
class ProviderAccount:
    """Account for uploading files to a provider.

    Attributes:
        key: API key; never shown.
        base_url: base URL of the API; None: the provider's default.
    """

    key: SecretStr
    base_url: str | None = None


class ProviderFiles:
    """Uploads of a library's documents at providers.

    Args:
        library: the library.
        policy: policy context of the caller; uploads of other contexts are neither used nor disclosed (STO-5).
            None: the library's owner.
        accounts: provider → account. Providers without an account get no uploads.
        clock: returns the current time, timezone-aware; for tests.
    """

    def __init__(
        self,
        library: Library,
        *,
        policy: PolicyContext | None = None,
        accounts: Mapping[Provider, ProviderAccount] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._library = library
        self._policy = policy
        self._accounts = dict(accounts or {})
        self._clock = clock

    def record(self, document: Document, provider: Provider) -> FileUpload | None:
        """The recorded upload of a document at a provider, or None."""
        return self._library.context.index.uploads.get(document.id, provider, policy=self._policy)

    def valid_id(self, document: Document, provider: Provider) -> str | None:
        """The provider's file id of a document; None if not uploaded, expired, or uploaded from other bytes."""
        found = self.record(document, provider)
        if found is None or found.file_hash != document.raw_hash or self._expires_within(found, timedelta()):
            return None
        return found.api_file_id

    def is_worth_it(self, document: Document, *, size: int) -> bool:
        """Whether to upload a document: it is large and used in several conversations, or marked as reference.

        Args:
            document: the document.
            size: size of its file in bytes.
        """
        index, settings = self._library.context.index, self._library.context.runtime.settings.context
        if index.uploads.is_reference(document.id, policy=self._policy):
            return True
        used = index.conversations.count_of(document.id, policy=self._policy)
        return size > settings.upload_bytes and used > settings.upload_conversations

    def keep(self, document: Document, provider: Provider) -> FileUpload | None:
        """Upload a document that is worth it, unless a valid upload exists that does not expire soon.

        Returns:
            The upload; None if the document is not worth it, or the provider has no account.

        Raises:
            PolicyRefused: a corpus of the document does not allow cloud services.
            AuthUnavailable: the provider rejects the API key.
            ToolUnavailable: the provider cannot be reached, or its response is invalid.
        """
        found = self.record(document, provider)
        size = self._library.context.index.documents.get(document.id, policy=self._policy).file_size or 0
        if provider not in self._accounts or not self.is_worth_it(document, size=size):
            return found
        if (
            found is not None
            and found.file_hash == document.raw_hash
            and not self._expires_within(found, REFRESH_BEFORE)
        ):
            return found
        return self.upload(document, provider)

    def upload(self, document: Document, provider: Provider) -> FileUpload:
        """Upload a document and record the provider's file id; replaces the earlier record.

        Raises:
            PolicyRefused: a corpus of the document does not allow cloud services, or the provider has no account.
            AuthUnavailable: the provider rejects the API key.
            ToolUnavailable: the provider cannot be reached, or its response is invalid.
        """
        account = self._accounts.get(provider)
        if account is None:
            raise PolicyRefused(f"there is no account at {provider} to upload to", source=document.title or document.id)
        context = self._library.context
        service = f"the files of {provider}"
        owners = owners_of_document(context.index, context.events, document.id, surface="context")
        pass_gate(owners, service=service, remedy=_REMEDY)
        block = pdf_block(document, name=f"{document.id}.pdf")
        note_use(owners, service=service)
        made, expires = _send(provider, account, block.data or b"", name=block.name)
        upload = FileUpload(
            document_id=document.id,
            provider=provider,
            api_file_id=made,
            file_hash=document.raw_hash,
            uploaded_at=time_text(self._clock()),
            expires_at=expires,
        )
        context.index.uploads.put(upload, policy=self._policy)
        return upload

    def forget(self, document: Document, provider: Provider) -> bool:
        """Delete the record of an upload, for example after the provider reports "file not found". The next send uploads again.

        Returns:
            Whether a record existed.
        """
        return self._library.context.index.uploads.remove(document.id, provider, policy=self._policy)

    def mark_reference(self, document: Document, *, by: str = "user") -> None:
        """Mark a document as reference material, used by many conversations."""
        self._library.context.index.uploads.mark_reference(document.id, by=by, policy=self._policy)

    def _expires_within(self, upload: FileUpload, margin: timedelta) -> bool:
        return upload.expires_at is not None and self._clock() + margin >= datetime.fromisoformat(upload.expires_at)


def _send(provider: Provider, account: ProviderAccount, data: bytes, *, name: str) -> tuple[str, str | None]:
    """Upload a file; returns the provider's file id and its expiry time or None."""
    base = (account.base_url or BASE_URLS[provider]).rstrip("/")
    key = account.key.get_secret_value()
    boundary = secrets.token_hex(16)
    match provider:
        case "anthropic":
            path, fields = "/v1/files", {}
            headers = {"x-api-key": key, "anthropic-version": "2023-06-01", "anthropic-beta": "files-api-2025-04-14"}
        case "openai":
            path, fields = "/v1/files", {"purpose": "user_data"}
            headers = {"Authorization": f"Bearer {key}"}
        case "google":
            path, fields = "/upload/v1beta/files", {}
            headers = {"x-goog-api-key": key, "X-Goog-Upload-Protocol": "multipart"}
    kind, body = (_related if provider == "google" else _form)(data, name, fields, boundary)
    target = service_target(base, cloud=True)
    answer = own_fetcher(target).fetch(
        f"{base}{path}",
        method="POST",
        body=body,
        headers={**headers, "Content-Type": f"{kind}; boundary={boundary}", "Accept": "application/json"},
        max_bytes=_ANSWER_BYTES,
        timeout=_SECONDS,
    )
    return _read(provider, answer)


def _form(data: bytes, name: str, fields: Mapping[str, str], boundary: str) -> tuple[str, bytes]:
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
        for field, value in fields.items()
    ]
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        "Content-Type: application/pdf\r\n\r\n"
    )
    return "multipart/form-data", b"".join([*parts, head.encode(), data, f"\r\n--{boundary}--\r\n".encode()])


def _related(data: bytes, name: str, fields: Mapping[str, str], boundary: str) -> tuple[str, bytes]:
    described = json.dumps({"file": {"displayName": name, **fields}})
    head = (
        f"--{boundary}\r\nContent-Type: application/json; charset=utf-8\r\n\r\n{described}\r\n"
        f"--{boundary}\r\nContent-Type: application/pdf\r\n\r\n"
    )
    return "multipart/related", b"".join([head.encode(), data, f"\r\n--{boundary}--\r\n".encode()])


def _read(provider: Provider, answer: FetchResponse) -> tuple[str, str | None]:
    if answer.status in (401, 403):
        raise AuthUnavailable(f"{provider} rejected the API key", remedy="Check the key of the account")
    try:
        found: Any = json.loads(answer.body)
    except ValueError:
        found = None
    if isinstance(found, dict) and provider == "google":
        found = found.get("file")
    made = found.get("uri" if provider == "google" else "id") if isinstance(found, dict) else None
    if answer.status >= 300 or not isinstance(made, str) or not made:
        raise ToolUnavailable(f"{provider} rejected the file (HTTP status {answer.status})", remedy="Try again later")
    return made, _expiry(found.get("expirationTime" if provider == "google" else "expires_at"))


def _expiry(said: object) -> str | None:
    """Expiry time in the format of the index; None if the provider gives none."""
    if isinstance(said, int | float) and not isinstance(said, bool):
        return time_text(datetime.fromtimestamp(said, UTC))
    if isinstance(said, str):
        try:
            return time_text(datetime.fromisoformat(said))
        except ValueError:
            return None
    return None
