"""Requests to an object store, with the store's errors as errors of Octavo. The only module that imports `obstore`."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from octavo_contracts import (
    ExitCode,
    HardFailReason,
    LibraryReadOnly,
    Retry,
    StorageError,
    ToolUnavailable,
    UsageError,
)

from ..files.file_store import FileFacts

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")

SCHEMES = ("s3", "gs", "az")
"""Schemes of the URL of a library in an object store."""

_VARIABLES = {
    "s3": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_ENDPOINT_URL"),
    "gs": ("GOOGLE_APPLICATION_CREDENTIALS",),
    "az": ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY"),
}
"""The usual variables of each scheme."""

_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
_OF_CONTAINERS = ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI")

_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound")
"""Codes of a store for a missing bucket."""

_SKEWED = "RequestTimeTooSkewed"
"""S3's code for a request whose signature has a time that differs from the store's by more than its limit, 15 minutes."""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/{1,2}")
"""The beginning of a URL; one letter before the colon may be a drive."""

_TRIES = 4
"""Tries of a conditional write whose outcome is unknown: obstore repeats only what may be repeated blindly."""

_RETRY_SECONDS = 60.0
"""How long obstore repeats a request that may be repeated."""

_PAUSE = 0.25
"""Seconds before the second try; doubled after each try."""

_MULTIPART = 64 << 20
"""Bytes from which an original is sent in parts. It is named by its hash: two writers store the same bytes."""


class ObjectStoreUnreachable(StorageError):
    """The object store does not answer, or rejected the credentials."""

    reason = HardFailReason.TOOL_UNAVAILABLE
    exit_code = ExitCode.TOOL_UNAVAILABLE
    retry = Retry.AUTOMATIC
    default_remedy = "Check the bucket, the network and the credentials, then run the command again"


class ObjectStoreUnsuitable(StorageError):
    """The object store ignores conditional writes: two writers of one version would both succeed."""

    reason = HardFailReason.TOOL_UNAVAILABLE
    exit_code = ExitCode.TOOL_UNAVAILABLE
    default_remedy = (
        "Use a store with conditional writes (If-None-Match): Amazon S3, Google Cloud Storage, Azure, Ceph, MinIO"
    )


def is_object_url(place: str | os.PathLike[str]) -> bool:
    """Whether a library's place is the URL of an object store, and not a folder.

    Raises:
        UsageError: the place begins as a URL does, and is not that of an object store. Taken for the name of a folder, a
            mistyped URL would keep on this machine what was meant for the object store.
    """
    begin = _URL.match(os.fspath(place))
    if begin is None:
        return False
    if isinstance(place, str) and begin[0] in [f"{scheme}://" for scheme in SCHEMES]:
        return True
    raise UsageError(
        f"the library's place begins with {begin[0]!r}, and the URL of an object store with s3://, gs:// or az://",
        remedy="Give s3://BUCKET/PREFIX as text, in lower case up to the bucket; give a folder of that name by its absolute path",
    )


class ObjectClient:
    """Requests below one prefix of one bucket. Thread-safe.

    Args:
        url: `s3://bucket/prefix`, `gs://…` or `az://…`. Credentials and endpoint are read from the environment.
        timeout: seconds for one request.

    Attributes:
        url: the URL, without a trailing slash.

    Raises:
        UsageError: the URL names no bucket, or contains credentials or options.
        ToolUnavailable: obstore is not installed.
    """

    def __init__(self, url: str, *, timeout: float) -> None:
        parts = urlsplit(url)
        if not parts.netloc or "@" in parts.netloc or parts.query or parts.fragment:
            raise UsageError(
                "the URL of a library in an object store names a bucket and a prefix only",
                remedy="Give s3://BUCKET/PREFIX; credentials and endpoint are read from the environment",
            )
        self.url = url.rstrip("/")
        self._obstore = _imported()
        options: dict[str, Any] = {"timeout": timedelta(seconds=timeout), "connect_timeout": timedelta(seconds=10)}
        # A server of one's own on this machine or in a closed network may have no certificate: its URL says so.
        options["allow_http"] = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
        retries = {
            "max_retries": 6,
            "retry_timeout": timedelta(seconds=_RETRY_SECONDS),
            "backoff": {"init_backoff": timedelta(seconds=0.1), "max_backoff": timedelta(seconds=5), "base": 2},
        }
        try:
            self._store = self._obstore.store.from_url(self.url, client_options=options, retry_config=retries)
        except self._obstore.exceptions.BaseError as error:
            raise UsageError(
                f"the object store {self.url} cannot be opened: {_brief(error)}",
                remedy="Give s3://BUCKET/PREFIX, and the credentials in the environment",
            ) from None

    def get(self, key: str) -> bytes:
        """The bytes of an object.

        Raises:
            FileNotFoundError: there is no such object.
            ObjectStoreUnreachable: the store does not answer.
        """
        with self._errors("reading"):
            return bytes(self._obstore.get(self._store, key).bytes())

    def head(self, key: str) -> FileFacts | None:
        """Size and time of an object; None if there is no such object."""
        try:
            with self._errors("reading"):
                found = self._obstore.head(self._store, key)
        except FileNotFoundError:
            return None
        return FileFacts(size=found["size"], stored_at=found["last_modified"].timestamp())

    def create(self, key: str, data: bytes) -> bool:
        """Store an object unless its key exists (If-None-Match); returns whether this call stored it.

        A refusal counts only if the key is there. S3 answers 409 (ConditionalRequestConflict) while another request
        changes the key, which asks for a repetition, and a store may answer 412 for a key that was removed meanwhile.

        If a try ends without an answer, the next one may find the object that the first one stored: the caller decides
        by the content, which must then be unique to the caller.

        Raises:
            ObjectStoreUnreachable: the store does not answer, or refuses to create a key that is not there.
        """
        exceptions = self._obstore.exceptions

        def put() -> bool:
            try:
                self._obstore.put(self._store, key, data, mode="create", use_multipart=False)
            except exceptions.AlreadyExistsError as error:
                if self.head(key) is not None:
                    return False
                raise ObjectStoreUnreachable(
                    f"the object store {self.url} refuses to create {key}, which it does not have: {_brief(error)}",
                    remedy="Run the command again; if the error stays, ask the store's operator",
                ) from None
            return True

        return self._patiently(put, "storing")

    def put(self, key: str, data: bytes | Path) -> None:
        """Store an object, or replace it."""

        def put() -> None:
            size = len(data) if isinstance(data, bytes) else data.stat().st_size
            self._obstore.put(self._store, key, data, use_multipart=size > _MULTIPART)

        self._patiently(put, "storing")

    def delete(self, keys: Sequence[str]) -> None:
        """Remove objects; a missing one is no error."""
        if keys:
            try:
                self._patiently(lambda: self._obstore.delete(self._store, list(keys)), "removing")
            except FileNotFoundError:
                return

    def walk(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Key and size of every object below a folder, page by page."""
        with self._errors("listing"):
            for page in self._obstore.list(self._store, prefix=prefix, chunk_size=1000):
                yield from ((str(one["path"]), int(one["size"])) for one in page)

    def children(self, prefix: str) -> list[str]:
        """The names of the objects and folders in a folder, in one request for each thousand."""
        with self._errors("listing"):
            found = self._obstore.list_with_delimiter(self._store, prefix=prefix)
        keys = [*found["common_prefixes"], *(one["path"] for one in found["objects"])]
        return [str(key).rpartition("/")[2] for key in keys]

    def _patiently(self, request: Callable[[], T], doing: str) -> T:
        """Repeat a write that the store did not answer: each write here gives the same result when it is repeated."""
        for attempt in range(1, _TRIES):
            try:
                with self._errors(doing):
                    return request()
            except ObjectStoreUnreachable:
                time.sleep(_PAUSE * 2 ** (attempt - 1))
        with self._errors(doing):
            return request()

    @contextmanager
    def _errors(self, doing: str) -> Iterator[None]:
        exceptions = self._obstore.exceptions
        try:
            yield
        except (FileNotFoundError, exceptions.BaseError) as error:
            if _code(error) in _NO_BUCKET:
                raise ObjectStoreUnreachable(
                    f"the bucket of {self.url} does not exist", remedy="Create the bucket, or correct the URL"
                ) from None
            if isinstance(error, (FileNotFoundError, exceptions.NotFoundError)):
                raise FileNotFoundError(_brief(error)) from None
            if _code(error) == _SKEWED:
                raise ObjectStoreUnreachable(
                    f"the object store {self.url} refused a request while {doing}, because the clock of this machine "
                    f"({datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC) differs too much from that of the store",
                    remedy="Set the clock of this machine, for example by an NTP client, then run the command again",
                ) from None
            denials = (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError)
            if isinstance(error, denials) or _code(error) == "AccessDenied":
                kind = LibraryReadOnly if doing in ("storing", "removing") else ObjectStoreUnreachable
                raise kind(
                    f"the object store {self.url} denied access while {doing}: {_brief(error)}",
                    remedy="Give credentials that may read, list, write and delete below the prefix",
                ) from None
            if _has_no_credentials(self.url):
                raise ObjectStoreUnreachable(
                    f"no credentials for the object store {self.url} are in the environment, and it failed while {doing}",
                    remedy=f"Set {' and '.join(_KEYS)}, then run the command again. The store said: {_brief(error)}",
                ) from None
            raise ObjectStoreUnreachable(
                f"the object store {self.url} failed while {doing}: {_brief(error)}", remedy=_remedy(self.url)
            ) from None


def _brief(error: BaseException) -> str:
    """The first line of obstore's message and the store's code, without the debugging tail, addresses and keys."""
    said = re.split(r"\n|Debug source|<\?xml|<Error", str(error), maxsplit=1)[0]
    code = _code(error)
    brief = re.sub(r"https?://\S+", "the endpoint", said)[:200].rstrip(" :")
    return f"{brief} ({code})" if code is not None and code not in brief else brief


def _code(error: BaseException) -> str | None:
    """The store's code in an error without a class of its own, such as that of a removal of several objects."""
    found = re.search(r"<Code>(\w+)</Code>|\(code: (\w+)\)", str(error))
    return found and (found[1] or found[2])


def _has_no_credentials(url: str) -> bool:
    """Whether a store of S3 lacks its keys in the environment, and no variable names another source of them."""
    names = (*_KEYS, "AWS_WEB_IDENTITY_TOKEN_FILE", *_OF_CONTAINERS)
    return urlsplit(url).scheme == "s3" and not any(os.environ.get(name) for name in names)


def _remedy(url: str) -> str:
    """The remedy for a store that fails, with the variables that are not set, and the host of the endpoint."""
    names = []
    for name in _VARIABLES[urlsplit(url).scheme]:
        value = os.environ.get(name)
        shown = urlsplit(value).netloc.rpartition("@")[2] if value and name.endswith("_URL") else ""
        note = shown if value else "not set"
        names.append(f"{name} ({note})" if note else name)
    return (
        f"Check the bucket, the network and the credentials in the environment: {', '.join(names)}. "
        "Then run the command again: nothing that was committed is lost"
    )


def _imported() -> Any:
    try:
        import obstore
        import obstore.exceptions
        import obstore.store
    except ModuleNotFoundError as error:
        raise ToolUnavailable(
            "a library in an object store needs obstore, which is not installed",
            remedy="pip install 'octavo-library[object-store]'",
        ) from error
    return obstore
