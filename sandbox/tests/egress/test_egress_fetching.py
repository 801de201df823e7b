"""Fetching over real sockets, from servers on loopback that a fake resolver gives names to (DIG-27, DIG-28)."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from octavo_contracts import (
    AuthUnavailable,
    ContentTooLarge,
    Fetcher,
    FetchResponse,
    OctavoError,
    PolicyRefused,
    ToolUnavailable,
)
from octavo_sandbox import Cancelled
from octavo_sandbox.egress import EgressPolicy, GuardedFetcher
from octavo_sandbox.egress import refusal as real_vetting
from octavo_sandbox.egress.connecting import Deadline, connect, system_resolver
from octavo_sandbox.egress.targets import parse_target

HOME = "127.0.0.1"
ON = EgressPolicy(enabled=True)


@dataclass
class Server:
    """A server of one test: each connection gets the answer of its turn, as bytes or as a function of the socket."""

    answers: list[bytes | Callable[[socket.socket], None]]
    context: ssl.SSLContext | None = None
    requests: list[bytes] = field(default_factory=list)
    peers: int = 0

    def __enter__(self) -> Server:
        self._listener = socket.create_server((HOME, 0))
        self.port = self._listener.getsockname()[1]
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._done.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)

    def _serve(self) -> None:
        while not self._done.is_set():
            try:
                raw, _ = self._listener.accept()
            except OSError:
                return
            self.peers += 1
            with contextlib.suppress(OSError), raw:
                raw.settimeout(10)
                peer = self.context.wrap_socket(raw, server_side=True) if self.context else raw
                with peer:
                    self.requests.append(_head(peer))
                    answer = self.answers[min(self.peers, len(self.answers)) - 1]
                    answer(peer) if callable(answer) else peer.sendall(answer)
                    if self.context:
                        peer.unwrap()


def _head(peer: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data and (block := peer.recv(4096)):
        data += block
    return data


def ok(body: bytes = b"hello", *headers: str, length: int | None = None) -> bytes:
    lines = ["HTTP/1.1 200 OK", "Content-Type: Text/Plain; charset=utf-8", *headers]
    lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def moved(location: str, status: int = 302) -> bytes:
    return f"HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()


@dataclass
class Names:
    """A resolver that knows what the test told it, and counts."""

    known: dict[str, list[list[str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        turns = self.known.get(host, [[HOME]])
        return turns.pop(0) if len(turns) > 1 else turns[0]


def only_home(address: str) -> str | None:
    """Vetting of the tests: the server's own address and nothing else of this machine."""
    return None if address == HOME else real_vetting(address)


def fetcher(server: Server, names: Names | None = None, policy: EgressPolicy = ON, **others) -> GuardedFetcher:
    return GuardedFetcher(policy, resolver=names or Names(), vetting=only_home, ports={80, 443, server.port}, **others)


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    with contextlib.ExitStack() as stack:
        yield lambda *answers, **others: stack.enter_context(Server(list(answers), **others))


def get(server: Server, path: str = "/", host: str = "good.test", **others) -> FetchResponse:
    names = others.pop("names", None)
    policy = others.pop("policy", ON)
    return fetcher(server, names, policy).fetch(f"http://{host}:{server.port}{path}", **{"timeout": 5.0, **others})


def test_an_answer_comes_back_with_its_type_and_bytes(serve) -> None:
    server = serve(ok(b"\x00\xffhello"))

    answer = get(server, "/a?b=c")

    assert (answer.status, answer.media_type, answer.body) == (200, "text/plain", b"\x00\xffhello")
    assert answer.url == f"http://good.test:{server.port}/a?b=c"
    assert isinstance(fetcher(server), Fetcher)


def test_an_answer_comes_back_with_what_else_the_server_says(serve) -> None:
    """Names in lower case, so that they are found however a server writes them."""
    server = serve(
        b"HTTP/1.1 202 Accepted\r\nOperation-Location: http://x/1\r\nRETRY-AFTER: 3\r\nContent-Length: 0\r\n\r\n"
    )

    answer = get(server)

    assert answer.headers == {"operation-location": "http://x/1", "retry-after": "3", "content-length": "0"}


def test_the_request_names_its_host_asks_for_identity_and_closes(serve) -> None:
    server = serve(ok())

    get(server, headers={"X-Own": "1", "Host": "evil.test", "Accept-Encoding": "gzip", "Connection": "keep-alive"})

    head = server.requests[0].decode()
    assert head.startswith("GET / HTTP/1.1\r\n")
    assert f"Host: good.test:{server.port}\r\n" in head
    assert "Accept-Encoding: identity\r\n" in head
    assert "Connection: close\r\n" in head
    assert "X-Own: 1\r\n" in head
    assert "evil.test" not in head
    assert "gzip" not in head


def test_a_host_is_looked_up_once_and_the_answer_is_used(serve) -> None:
    """Rebinding: the second look-up would lead inside, and there is none."""
    server = serve(ok())
    names = Names({"good.test": [[HOME], ["10.0.0.1"]]})

    get(server, names=names)

    assert names.asked == ["good.test"]


@pytest.mark.parametrize(
    "addresses",
    [
        ["10.0.0.1"],
        [HOME, "10.0.0.1"],
        ["192.168.0.1", HOME],
        ["::1"],
        ["::ffff:127.0.0.1"],
        ["169.254.169.254"],
        ["fd00:ec2::254"],
        [HOME, "64:ff9b::7f00:1"],
        ["garbage"],
    ],
)
def test_a_name_with_any_private_address_is_not_connected_to(serve, addresses: list[str]) -> None:
    server = serve(ok())

    with pytest.raises(PolicyRefused, match="not public"):
        get(server, names=Names({"good.test": [addresses]}))
    assert server.peers == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "10.1.2.3", "169.254.169.254", "localhost"])
def test_with_the_real_table_nothing_of_this_machine_is_reached(serve, host: str) -> None:
    server = serve(ok())
    guarded = GuardedFetcher(
        ON, ports={server.port}, resolver=lambda name, port: [name] if name != "localhost" else [HOME]
    )

    with pytest.raises(PolicyRefused, match="not public"):
        guarded.fetch(f"http://{host}:{server.port}/", timeout=5)
    assert server.peers == 0


@pytest.mark.parametrize(
    "location",
    [
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://2130706433/",
        "http://0x7f.1/",
        "file:///etc/passwd",
        "ftp://good.test/",
        "http://good.test:22/",
        "http://user@good.test/",
        "http://inside.test/",
        "//inside.test/",
    ],
)
def test_a_redirect_is_a_new_hop_through_the_same_checks(serve, location: str) -> None:
    server = serve(moved(location), ok(b"inside"))

    with pytest.raises(PolicyRefused):
        get(server, names=Names({"inside.test": [["10.0.0.7"]]}))
    assert server.peers == 1


def test_an_address_in_a_url_is_vetted_without_a_lookup(serve) -> None:
    server, names = serve(moved("http://10.0.0.1/")), Names()

    with pytest.raises(PolicyRefused, match=r"10\.0\.0\.1 is not public"):
        get(server, names=names)
    assert names.asked == ["good.test"]


def test_redirects_are_followed_within_bounds(serve) -> None:
    server = serve(moved("/b"), moved("c?d"), ok(b"there"))

    answer = get(server, "/a")

    assert (answer.body, answer.url) == (b"there", f"http://good.test:{server.port}/c?d")


def test_a_circle_of_redirects_ends(serve) -> None:
    with pytest.raises(PolicyRefused, match="loop"):
        get(serve(moved("/b"), moved("/a")), "/a")


def test_too_many_redirects_end(serve) -> None:
    with pytest.raises(PolicyRefused, match="more than 5"):
        get(serve(*(moved(f"/{n}") for n in range(10))))


def test_a_redirect_without_a_location_is_an_answer(serve) -> None:
    assert get(serve(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n")).status == 302


def test_credentials_stay_with_their_origin(serve) -> None:
    first = serve(ok(b"never"))
    second = serve(ok(b"other"))
    first.answers = [moved("/same"), moved(f"http://other.test:{second.port}/")]
    guarded = GuardedFetcher(ON, resolver=Names(), vetting=only_home, ports={first.port, second.port})

    guarded.fetch(
        f"http://good.test:{first.port}/",
        headers={"Authorization": "Bearer abc", "Cookie": "a=b", "X-Own": "1"},
        timeout=5,
    )

    assert all(b"Bearer abc" in head and b"a=b" in head for head in first.requests)
    assert len(first.requests) == 2
    assert b"Bearer" not in second.requests[0]
    assert b"Cookie" not in second.requests[0]
    assert b"X-Own" in second.requests[0]


@pytest.mark.parametrize(("status", "method"), [(302, b"GET"), (303, b"GET"), (307, b"POST"), (308, b"POST")])
def test_a_redirected_post_becomes_a_get_unless_it_must_not(serve, status: int, method: bytes) -> None:
    server = serve(moved("/b", status), ok())

    get(server, method="POST", body=b"payload")

    assert server.requests[1].startswith(method)


def test_hosts_on_no_list_are_not_asked_and_redirects_do_not_get_around_it(serve) -> None:
    """DIG-34."""
    server = serve(moved("http://elsewhere.test/"))
    names = Names()

    with pytest.raises(PolicyRefused, match=r"elsewhere\.test is not in the allow list"):
        get(server, names=names, policy=EgressPolicy(enabled=True, allow=frozenset({"good.test"})))
    with pytest.raises(PolicyRefused, match="deny list"):
        get(server, names=names, policy=EgressPolicy(enabled=True, deny=frozenset({"good.test"})))
    with pytest.raises(PolicyRefused, match="disabled"):
        get(server, names=names, policy=EgressPolicy())
    assert names.asked == ["good.test"]


def test_proxy_variables_are_not_read(serve, monkeypatch) -> None:
    server, proxy = serve(ok(b"direct")), serve(ok(b"proxied"))
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://{HOME}:{proxy.port}")

    assert get(server).body == b"direct"
    assert proxy.peers == 0


# -- bytes and seconds --------------------------------------------------------------------------------------------


def drip(*blocks: bytes, every: float = 0.1, last: int = 200) -> Callable[[socket.socket], None]:
    def answer(peer: socket.socket) -> None:
        for block in blocks:
            peer.sendall(block)
        for _ in range(last):
            time.sleep(every)
            peer.sendall(b"x")

    return answer


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(drip(b"HTTP/1.1 200 OK\r\nX-Slow: "), id="headers"),
        pytest.param(drip(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"), id="body"),
        pytest.param(lambda peer: time.sleep(3), id="nothing"),
    ],
)
def test_a_slow_server_is_left_when_the_time_is_over(serve, answer) -> None:
    """An absolute deadline: each byte that drips in gains no time."""
    started = time.monotonic()

    with pytest.raises(ToolUnavailable, match="in time"):
        get(serve(answer), timeout=0.6)
    assert time.monotonic() - started < 2.0


def test_a_slow_resolver_is_left_too(serve) -> None:
    guarded = GuardedFetcher(ON, resolver=lambda host, port: time.sleep(2) or [HOME])

    with pytest.raises(ToolUnavailable, match="in time"):
        guarded.fetch("http://good.test/", timeout=0.2)


def cut_off(guarded_by: Callable[[Callable[[], bool]], GuardedFetcher], url: str, **request) -> float:
    """Begin a request, stop it while it waits, and say how many seconds it then took to end."""
    stop, ended = threading.Event(), []

    def fetch() -> None:
        try:
            guarded_by(stop.is_set).fetch(url, timeout=20, **request)
        except OctavoError as error:
            ended.append(error)

    thread = threading.Thread(target=fetch, daemon=True)
    thread.start()
    time.sleep(0.4)
    assert thread.is_alive()
    stopped = time.monotonic()
    stop.set()
    thread.join(10)
    assert [type(error) for error in ended] == [Cancelled]
    return time.monotonic() - stopped


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda peer: peer.recv(1), id="no head"),
        pytest.param(lambda peer: [peer.sendall(ok(b"x", length=100)), peer.recv(1)], id="no body"),
        pytest.param(lambda peer: [peer.sendall(b"HTTP/1.1 200 OK\r\n\r\nx"), peer.recv(1)], id="no end"),
    ],
)
def test_a_request_that_is_stopped_ends_at_once(serve, answer) -> None:
    """Whoever closes a library does not wait for the slowest server of the web."""
    server = serve(answer)
    assert cut_off(lambda stopped: fetcher(server, stopped=stopped), f"http://good.test:{server.port}/") < 1.0


def test_a_long_request_that_nobody_reads_is_stopped_too(serve) -> None:
    server = serve(lambda peer: time.sleep(3))
    url = f"http://good.test:{server.port}/"
    assert cut_off(lambda stopped: fetcher(server, stopped=stopped), url, method="POST", body=bytes(40 << 20)) < 1.0


def test_a_look_up_that_is_stopped_ends_at_once() -> None:
    def forever(host: str, port: int) -> list[str]:
        time.sleep(3)
        return [HOME]

    assert cut_off(lambda stopped: GuardedFetcher(ON, resolver=forever, stopped=stopped), "http://good.test/") < 1.0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems answer for a server whose queue is full")
def test_a_connection_that_nobody_takes_is_stopped_too() -> None:
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind((HOME, 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        for _ in range(4):  # the queue is full then
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex((HOME, port))

        def guarded(stopped: Callable[[], bool]) -> GuardedFetcher:
            return GuardedFetcher(ON, resolver=Names(), vetting=only_home, ports={port}, stopped=stopped)

        assert cut_off(guarded, f"http://good.test:{port}/") < 1.0


def test_a_handshake_that_is_stopped_ends_at_once() -> None:
    with socket.create_server((HOME, 0)) as listener:
        port = listener.getsockname()[1]

        def guarded(stopped: Callable[[], bool]) -> GuardedFetcher:
            return GuardedFetcher(ON, resolver=Names(), vetting=only_home, ports={port}, stopped=stopped)

        assert cut_off(guarded, f"https://good.test:{port}/") < 1.0


def test_a_long_request_arrives_whole(serve) -> None:
    """It is sent in parts, and a server that reads slowly gets each once."""
    body = bytes(range(256)) * (16 << 10)
    got = []

    def read(peer: socket.socket) -> None:
        data = server.requests[0].partition(b"\r\n\r\n")[2]
        while len(data) < len(body):
            time.sleep(0.005)
            data += peer.recv(1 << 18)
        got.append(data)
        peer.sendall(ok())

    server = serve(read)
    assert get(server, method="POST", body=body).body == b"hello"
    assert got == [body]


def test_redirects_share_one_deadline(serve) -> None:
    def slow_redirect(peer: socket.socket) -> None:
        time.sleep(0.3)
        peer.sendall(moved(f"/{time.monotonic_ns()}"))

    started = time.monotonic()
    with pytest.raises(ToolUnavailable, match="in time"):
        get(serve(slow_redirect), timeout=0.8)
    assert time.monotonic() - started < 2.0


def test_an_announced_length_above_the_cap_is_not_read(serve) -> None:
    with pytest.raises(ContentTooLarge, match="longer than 1000 bytes"):
        get(serve(ok(b"x", length=1_001)), max_bytes=1_000)


def test_a_body_at_the_cap_is_read_and_one_above_it_is_not(serve) -> None:
    unannounced = b"HTTP/1.1 200 OK\r\n\r\n"

    assert len(get(serve(unannounced + b"x" * 1_000), max_bytes=1_000).body) == 1_000
    assert len(get(serve(ok(b"x" * 1_000)), max_bytes=1_000).body) == 1_000
    with pytest.raises(ContentTooLarge):
        get(serve(unannounced + b"x" * 1_001), max_bytes=1_000)


def test_endless_chunks_end_at_the_cap(serve) -> None:
    def endless(peer: socket.socket) -> None:
        peer.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(10_000):
            peer.sendall(b"400\r\n" + b"x" * 1024 + b"\r\n")

    with pytest.raises(ContentTooLarge):
        get(serve(endless), max_bytes=100_000)


def test_chunks_are_put_together(serve) -> None:
    body = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"

    assert get(serve(body)).body == b"abcde"


@pytest.mark.parametrize(
    "answer",
    [
        ok(b"short", length=50),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab",
        b"not http at all\r\n\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: 1\r\n" * 200 + b"\r\n",
    ],
)
def test_a_broken_answer_is_said_to_be_one(serve, answer: bytes) -> None:
    with pytest.raises(ToolUnavailable, match=r"malformed|closed the connection"):
        get(serve(answer))


def test_a_length_that_lies_low_cuts_the_rest_off(serve) -> None:
    assert get(serve(ok(b"hello, world", length=5))).body == b"hello"


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate, gzip"])
def test_an_encoding_that_was_not_asked_for_is_refused(serve, encoding: str) -> None:
    with pytest.raises(PolicyRefused, match="not requested"):
        get(serve(ok(b"x", f"Content-Encoding: {encoding}")))
    assert get(serve(ok(b"x", "Content-Encoding: identity"))).body == b"x"


@pytest.mark.parametrize("status", [401, 403, 407])
def test_a_server_that_wants_credentials_is_told_apart(serve, status: int) -> None:
    with pytest.raises(AuthUnavailable, match=str(status)):
        get(serve(f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n".encode()))


def test_other_statuses_are_answers(serve) -> None:
    assert get(serve(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno")).status == 404


def test_a_server_that_is_not_there_can_not_be_reached(serve) -> None:
    with Server([ok()]) as gone:
        pass
    with pytest.raises(ToolUnavailable, match="cannot be reached"):
        get(gone)


def test_a_name_without_addresses_can_not_be_reached() -> None:
    def fails(host: str, port: int) -> list[str]:
        raise socket.gaierror(-2, "unknown")

    for resolver in (fails, lambda host, port: []):
        with pytest.raises(ToolUnavailable, match="no address"):
            GuardedFetcher(ON, resolver=resolver).fetch("http://nowhere.test/")


def test_the_next_address_is_tried_when_one_does_not_answer(serve) -> None:
    server = serve(ok(b"second"))
    guarded = GuardedFetcher(
        ON,
        resolver=lambda host, port: ["127.0.0.2", HOME],
        vetting=lambda address: None if address.startswith("127.") else "elsewhere",
        ports={server.port},
    )

    assert guarded.fetch(f"http://good.test:{server.port}/", timeout=5).body == b"second"


def test_a_peer_that_was_not_vetted_is_not_asked(serve, monkeypatch) -> None:
    server = serve(ok())
    monkeypatch.setattr(socket.socket, "getpeername", lambda self: ("93.184.216.34", server.port))

    with pytest.raises(PolicyRefused, match="the peer "):
        get(server)


def test_a_deadline_that_is_over_opens_nothing() -> None:
    over = Deadline(-1)

    with pytest.raises(ToolUnavailable):
        connect(parse_target("http://good.test/"), over, resolver=Names())


def test_the_systems_resolver_gives_each_address_once() -> None:
    assert system_resolver(HOME, 80) == [HOME]


# -- TLS ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def certificate(tmp_path):
    """A certificate of our own for good.test."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "good.test")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("good.test"), x509.IPAddress(ipaddress.ip_address("10.9.8.7"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "pem"
    pem.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return pem


def test_tls_checks_the_name_and_the_issuer(serve, certificate) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = serve(ok(b"sealed"), context=context)
    trusting = ssl.create_default_context(cafile=str(certificate))

    good = fetcher(server, context=trusting).fetch(f"https://good.test:{server.port}/", timeout=5)

    assert good.body == b"sealed"
    with pytest.raises(ToolUnavailable, match="SSLCertVerificationError"):
        fetcher(server, context=trusting).fetch(f"https://other.test:{server.port}/", timeout=5)
    with pytest.raises(ToolUnavailable, match="SSLCertVerificationError"):
        fetcher(server).fetch(f"https://good.test:{server.port}/", timeout=5)


def test_a_redirect_from_https_to_http_is_refused(serve, certificate) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = serve(moved("http://good.test/"), context=context)

    with pytest.raises(PolicyRefused, match="https to http"):
        fetcher(server, context=ssl.create_default_context(cafile=str(certificate))).fetch(
            f"https://good.test:{server.port}/", timeout=5
        )
