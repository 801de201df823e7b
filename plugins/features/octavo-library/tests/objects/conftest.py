"""A real S3 server on loopback, a real PostgreSQL server, and a proxy in front of the first that can misbehave.

The S3 server is moto's, or Ceph's gateway if `OCTAVO_TEST_S3_SERVER` is `radosgw` (`tox -e radosgw`).
"""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from octavo.settings.object_store import ObjectStoreSettings
from octavo.settings.settings import Settings
from octavo_conformance.loopback import HOST, Asked, Reply, serving
from octavo_library import Library
from sqlalchemy import create_engine, make_url

BUCKET = "library"
POSTGRES = Path(__file__).resolve().parents[5] / ".ci" / "postgres"
RADOSGW = POSTGRES.with_name("radosgw")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def s3_port() -> Iterator[int]:
    """The port of an S3 server with one empty bucket."""
    is_real = os.environ.get("OCTAVO_TEST_S3_SERVER") == "radosgw"
    # Where a server is named, its tests have to run.
    leave_out = pytest.fail if is_real else pytest.skip
    if find_spec("obstore") is None:
        leave_out("needs octavo-library[object-store]")
    if find_spec("moto") is None or find_spec("flask") is None:
        leave_out("needs an S3 server: pip install 'moto[s3,server]'")
    with radosgw() if is_real else moto() as port:
        yield port


@contextmanager
def moto() -> Iterator[int]:
    """The port of moto's server."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", HOST, "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                urlopen(Request(f"http://{HOST}:{port}/{BUCKET}", method="PUT"), timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        else:
            pytest.fail("the S3 server did not start")
        yield port
    finally:
        server.kill()
        server.wait()


@contextmanager
def radosgw() -> Iterator[int]:
    """The port of Ceph's gateway, which checks signatures."""
    import boto3  # comes with moto

    folder = Path("/tmp") / f"octavo-rgw-{uuid.uuid4().hex[:12]}"  # its sockets' paths must be short
    try:
        started = subprocess.run([RADOSGW, "start", folder], capture_output=True, text=True, timeout=600, check=False)
        if started.returncode:
            pytest.fail(f"radosgw does not start: {(started.stdout + started.stderr).strip()[-2000:]}")
        url = started.stdout.strip().splitlines()[-1]
        client = boto3.client(
            "s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id="key", aws_secret_access_key="secret"
        )
        client.create_bucket(Bucket=BUCKET)
        client.close()
        yield int(url.rpartition(":")[2])
    finally:
        subprocess.run([RADOSGW, "stop", folder], capture_output=True, timeout=120, check=False)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL database: the given one, or that of a server of this session."""
    if find_spec("psycopg") is None:
        pytest.skip("needs octavo-library[postgres]")
    given = os.environ.get("OCTAVO_TEST_INDEX_URL")
    if given is not None:
        yield given
        return
    if not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or shutil.which("bash") is None:
        pytest.skip("needs a PostgreSQL server: apt-get install postgresql, or set OCTAVO_TEST_INDEX_URL")
    folder = Path("/tmp") / f"octavo-pg-{uuid.uuid4().hex[:12]}"  # its socket's path must be short
    started = subprocess.run([POSTGRES, "start", folder], capture_output=True, text=True, timeout=120, check=False)
    if started.returncode:
        pytest.skip(f"PostgreSQL does not start here: {started.stderr.strip()[-200:]}")
    try:
        yield started.stdout.strip().splitlines()[-1]
    finally:
        subprocess.run([POSTGRES, "stop", folder], capture_output=True, timeout=60, check=False)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def index_url(postgres_url: str) -> Iterator[str]:
    """The URL of an empty index, in a schema of its own."""
    schema = f"o{uuid.uuid4().hex[:20]}"
    engine = create_engine(postgres_url)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
    place = make_url(postgres_url).update_query_dict({"options": f"-csearch_path={schema}"})
    yield place.set(drivername="postgresql").render_as_string(hide_password=False)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
    engine.dispose()


@dataclass
class Proxy:
    """Stands between the library and the S3 server, and misbehaves as a network or another store would.

    Attributes:
        port: where it listens.
        asked: method and path of every request.
        before: given a request, the answer in place of the server's; None: the request is passed on.
        after: given a request and the server's answer, the answer that is sent.
        drops: names of request headers that are not passed on.
    """

    port: int = 0
    asked: list[tuple[str, str]] = field(default_factory=list)
    before: Callable[[Asked], Reply | None] = lambda _: None
    after: Callable[[Asked, Reply], Reply] = lambda _, reply: reply
    drops: frozenset[str] = frozenset()


@pytest.fixture
def s3(s3_port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """The way to the S3 server, with the credentials in the environment."""
    proxy = Proxy()

    def answer(asked: Asked) -> Reply:
        proxy.asked.append((asked.method, asked.path))
        if (own := proxy.before(asked)) is not None:
            return own
        hidden = {"connection", *proxy.drops}  # the name of the host is part of a request's signature
        headers = {name: value for name, value in asked.headers.items() if name not in hidden}
        connection = http.client.HTTPConnection(HOST, s3_port, timeout=60)
        try:
            connection.request(asked.method, asked.path, body=asked.body or None, headers=headers)
            got = connection.getresponse()
            kept = {name: value for name, value in got.getheaders() if name.lower() in _KEPT}
            reply = Reply(status=got.status, body=got.read(), headers=kept)
        finally:
            connection.close()
        return proxy.after(asked, reply)

    with serving(answer) as port:
        proxy.port = port
        for name, value in environment(port).items():
            monkeypatch.setenv(name, value)
        yield proxy


_KEPT = frozenset({"etag", "last-modified", "content-type", "content-length", "content-range", "accept-ranges"})


def environment(port: int) -> dict[str, str]:
    """The variables with which a process reaches the S3 server."""
    return {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{HOST}:{port}",
    }


@pytest.fixture
def url(s3: Proxy) -> str:
    """The URL of a library that does not exist yet."""
    return f"s3://{BUCKET}/{uuid.uuid4().hex}"


Opener = Callable[..., Library]


@pytest.fixture
def machine(url: str, index_url: str, tmp_path: Path) -> Opener:
    """Opens the library as a machine of a given name would: each has a workspace of its own."""

    def opened(name: str = "one", **objects: object) -> Library:
        fields = ObjectStoreSettings(workspace=str(tmp_path / name), **objects)  # type: ignore[arg-type]  # its own fields
        return Library.open(url, index=index_url, settings=Settings(workers=2, objects=fields))

    return opened


@pytest.fixture
def bucket(s3_port: int) -> Any:
    """A client of the bucket, beside the library's own."""
    from obstore.store import S3Store

    names = environment(s3_port)
    return S3Store(
        BUCKET,
        access_key_id=names["AWS_ACCESS_KEY_ID"],
        secret_access_key=names["AWS_SECRET_ACCESS_KEY"],
        region="us-east-1",
        endpoint=names["AWS_ENDPOINT_URL"],
        client_options={"allow_http": True},
    )


@pytest.fixture
def objects(url: str, bucket: Any) -> Callable[[], list[str]]:
    """The keys of the library's objects."""
    prefix = url.rpartition("/")[2]

    def listed() -> list[str]:
        import obstore

        pages = obstore.list(bucket, prefix=f"{prefix}/")
        return sorted(one["path"].removeprefix(f"{prefix}/") for page in pages for one in page)

    return listed


@pytest.fixture
def copied(url: str, bucket: Any) -> Callable[[], str]:
    """Copies the library's objects below another prefix, as `aws s3 sync` does; gives the URL of the copy."""

    def copy() -> str:
        import obstore

        before, after = url.rpartition("/")[2], uuid.uuid4().hex
        for page in obstore.list(bucket, prefix=f"{before}/"):
            for one in page:
                obstore.copy(bucket, one["path"], one["path"].replace(before, after, 1))
        return f"s3://{BUCKET}/{after}"

    return copy
