"""What is said of a store that cannot be used: its place, its credentials, its answers (STO-8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from octavo_conformance.loopback import Reply
from octavo_contracts import LibraryReadOnly, StorageError, UsageError
from octavo_library.storage.objects.object_store import ObjectStore


def opened(url: str, workspace: Path) -> ObjectStore:
    return ObjectStore(url, workspace=workspace, cache_bytes=1 << 20, timeout=20.0)


def test_a_prefix_of_others_is_refused(url: str, tmp_path: Path) -> None:
    opened(url, tmp_path).create("holiday.jpg", b"x")
    with pytest.raises(UsageError, match=r"contains 'holiday\.jpg'"):
        opened(url, tmp_path)


@pytest.mark.parametrize("wrong", ["s3://", "s3://key:secret@bucket/x", "s3://bucket/x?versionId=1"])
def test_urls_that_are_no_place_are_refused_without_their_secrets(wrong: str, tmp_path: Path, s3: Any) -> None:
    with pytest.raises(UsageError) as told:
        opened(wrong, tmp_path)
    assert "secret" not in f"{told.value} {told.value.remedy}"


def test_a_store_that_does_not_answer_keeps_its_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("obstore", reason="needs octavo-library[object-store]")
    monkeypatch.setattr("octavo_library.storage.objects.object_client._RETRY_SECONDS", 0.2)
    for name, value in {"AWS_ACCESS_KEY_ID": "AKIAX", "AWS_SECRET_ACCESS_KEY": "hush"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    with pytest.raises(StorageError, match="failed while") as told:
        opened("s3://bucket/x", tmp_path)
    assert told.value.reason == "tool_unavailable"
    assert not any(secret in str(told.value) for secret in ("hush", "AKIAX", "Debug"))


DENIED = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"


@pytest.mark.parametrize("denied", [("PUT", "POST", "DELETE"), ("POST", "DELETE")], ids=["read only", "no deletion"])
def test_credentials_that_may_not_write_are_told_so(s3: Any, url: str, tmp_path: Path, denied: tuple[str, ...]) -> None:
    """A store answers the removal of several objects with 200, and names what it denied in the answer."""

    def deny(asked: Any) -> Reply | None:
        if asked.method not in denied:
            return None
        if asked.method == "POST":
            key = asked.body.partition(b"<Key>")[2].partition(b"</Key>")[0]
            named = DENIED.replace(b"<Code>", b"<Key>" + key + b"</Key><Code>")
            return Reply(body=b"<DeleteResult>" + named + b"</DeleteResult>")
        return Reply(status=403, body=DENIED)

    s3.before = deny
    with pytest.raises(LibraryReadOnly, match="denied access while") as told:
        opened(url, tmp_path)
    assert ("storing" in str(told.value)) == ("PUT" in denied)
    assert "read, list, write and delete" in str(told.value.remedy)


def test_a_missing_bucket_is_told(s3: Any, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"the bucket of s3://no-such-bucket/library does not exist") as told:
        opened("s3://no-such-bucket/library", tmp_path)
    assert "Create the bucket" in str(told.value.remedy)


def test_what_a_store_says_and_what_the_environment_lacks_are_told(
    s3: Any, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_REGION")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://user:hush@127.0.0.1:{s3.port}")
    body = b'<?xml version="1.0" encoding="utf-8"?>\n<Error><Code>PermanentRedirect</Code></Error>'
    s3.before = lambda asked: Reply(status=400, body=body) if asked.method == "GET" else None
    with pytest.raises(StorageError, match=r"failed while listing: .*\(PermanentRedirect\)") as told:
        opened(url, tmp_path)
    remedy = str(told.value.remedy)
    assert (
        f"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION (not set), AWS_ENDPOINT_URL (127.0.0.1:{s3.port})"
        in remedy
    )
    assert "hush" not in f"{told.value} {remedy}"


def test_missing_credentials_are_named_before_what_the_store_says(
    s3: Any, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client then asks the metadata service of a cloud, and its error names that service."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", f"http://127.0.0.1:{s3.port}")
    s3.before = lambda asked: Reply(status=403)
    with pytest.raises(StorageError) as told:
        opened(url, tmp_path)
    assert told.value.message.startswith(f"no credentials for the object store {url} are in the environment")
    remedy = str(told.value.remedy)
    assert remedy.startswith(
        "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, then run the command again. The store said: "
    )
    assert "403" in remedy.partition("The store said: ")[2]


def test_a_prefix_above_a_library_names_the_library(s3: Any, url: str, tmp_path: Path) -> None:
    opened(f"{url}/library", tmp_path).create("index-elsewhere.json", b"{}")
    with pytest.raises(UsageError, match=r"is not a library and contains 'library'") as told:
        opened(url, tmp_path)
    assert f"Is it {url}/library?" in str(told.value.remedy)
