"""The HTTP client that an SDK is given: one place, vetted, nothing of the environment (DIG-27, CNV-15)."""

from __future__ import annotations

import asyncio
import time
from importlib.util import find_spec
from typing import Any

import pytest
from octavo_conformance.loopback import Asked, Reply, serving
from octavo_contracts import PolicyRefused, UsageError
from octavo_sandbox.egress import sdk_client
from octavo_sandbox.egress.connecting import tls_context

LIBRARIES = [name for name in ("httpx2", "httpx") if find_spec(name)]
pytestmark = pytest.mark.skipif(not LIBRARIES, reason="neither httpx nor httpx2 is installed: an SDK brings it")


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


def echo(asked: Asked) -> Reply:
    told = "\n".join([f"{asked.method} {asked.path}", *sorted(map(": ".join, asked.headers.items()))])
    return Reply(status=201, body=told.encode() + b"\n\n" + asked.body, headers={"X-Told": "yes"})


def test_an_answer_comes_back_whole_and_the_sdks_own_headers_stay_here(library: Any) -> None:
    with serving(echo) as port:
        base = f"http://127.0.0.1:{port}/v1"
        with sdk_client(base, like=library.Client, headers={"Authorization": "Bearer k"}) as client:
            answer = client.post(
                f"{base}/chat?x=1", content=b"{}", headers={"X-Machine": "told", "Content-Type": "application/json"}
            )

    assert (answer.status_code, answer.headers["x-told"]) == (201, "yes")
    assert answer.text.startswith("POST /v1/chat?x=1\n")
    assert answer.text.endswith("\n\n{}")
    assert "authorization: Bearer k" in answer.text
    assert "content-type: application/json" in answer.text
    assert "accept-encoding: identity" in answer.text
    assert "X-Machine".lower() not in answer.text.lower()
    assert library.__name__ not in answer.text


def test_an_asynchronous_client_is_cut_off_with_its_task(library: Any) -> None:
    def late(asked: Asked) -> Reply:
        time.sleep(3)
        return Reply()

    async def main(base: str) -> None:
        async with sdk_client(base, like=library.AsyncClient) as client:
            async with asyncio.timeout(0.3):
                await client.get(base)

    with serving(late) as port:
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            asyncio.run(main(f"http://127.0.0.1:{port}/"))
        assert time.monotonic() - started < 2.5


@pytest.mark.parametrize(
    "addresses", [["10.0.0.1"], ["127.0.0.1", "203.0.113.9"], ["192.168.1.4"], ["169.254.169.254"], ["8.8.8.8"]]
)
def test_a_name_of_this_machine_that_leads_elsewhere_is_not_connected_to(library: Any, addresses: list[str]) -> None:
    asked: list[str] = []

    def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return addresses

    client = sdk_client("http://localhost:9/", like=library.Client, resolver=resolver)

    with pytest.raises(PolicyRefused, match="no connection to localhost"):
        client.get("http://localhost:9/x")
    assert asked == ["localhost"]


def test_with_cloud_a_private_secret_of_a_cloud_machine_is_still_refused(library: Any) -> None:
    client = sdk_client(
        "https://m.example.org/v1", like=library.Client, cloud=True, resolver=lambda host, port: ["169.254.169.254"]
    )

    with pytest.raises(PolicyRefused, match=r"169\.254\.169\.254"):
        client.get("https://m.example.org/v1/x")


def test_another_place_is_not_asked_even_where_the_sdk_follows_redirects(library: Any) -> None:
    with serving(lambda asked: Reply(status=302, headers={"Location": "http://127.0.0.1:9/inside"})) as port:
        client = sdk_client(f"http://127.0.0.1:{port}/", like=library.Client)
        assert client.get(f"http://127.0.0.1:{port}/").status_code == 302
        with pytest.raises(PolicyRefused):
            client.get(f"http://127.0.0.1:{port}/", follow_redirects=True)
        with pytest.raises(PolicyRefused):
            client.get("http://127.0.0.1:9/inside")


@pytest.mark.parametrize("url", ["http://models.example.org/v1", "http://10.0.0.3:8080/", "http://localhost.example/"])
def test_without_cloud_a_server_elsewhere_gets_no_client(library: Any, url: str) -> None:
    with pytest.raises(PolicyRefused, match="not on this machine"):
        sdk_client(url, like=library.Client)


def test_what_is_no_url_and_no_client_is_named(library: Any) -> None:
    with pytest.raises(UsageError, match="not the URL of a server"):
        sdk_client("ftp://127.0.0.1/", like=library.Client)
    with pytest.raises(UsageError, match="not a client class"):
        sdk_client("http://127.0.0.1/", like=dict)


def test_a_server_that_is_not_there_is_the_librarys_own_error(library: Any) -> None:
    with serving(echo) as port:
        pass
    with pytest.raises(library.ConnectError):
        sdk_client(f"http://127.0.0.1:{port}/", like=library.Client).get(f"http://127.0.0.1:{port}/")


def test_the_environment_does_not_say_whom_tls_trusts_nor_where_its_keys_are_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    known = tls_context().get_ca_certs()
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))

    context = tls_context()

    assert context.get_ca_certs() == known
    assert context.keylog_filename is None
    assert context.check_hostname
