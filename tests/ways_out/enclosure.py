"""A network namespace of its own for one program: every packet that it sends is seen, and none leaves the namespace.

Run inside `unshare --net --mount` by `run`: every address leads to the loopback interface, where all packets are recorded. A
proxy listens where the proxy variables point, a DNS server where `/etc/resolv.conf` points, and `~/.netrc` holds a password.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

PROXY = 3128
NETRC_PASSWORD = "planted-netrc-password"
ENV_HEADER = "planted-environment-header"
PLANTED = (NETRC_PASSWORD, "cGxhbnRlZC1uZXRyYy", ENV_HEADER)
"""What no request may hold: the password, the beginning of its base64, the header."""
HERE = Path(__file__).resolve().parent
_TCP, _UDP = 6, 17


@dataclass
class Seen:
    """What came of a program.

    Attributes:
        sent: (address, port) → how many connections were begun or datagrams sent there.
        proxy_bytes: bytes that the proxy was given.
        answer: what the way itself returned.
        error: the exception it ended with.
        keys_written: whether TLS keys were written where SSLKEYLOGFILE points.
    """

    sent: dict[str, int] = field(default_factory=dict)
    proxy_bytes: int = 0
    answer: Any = None
    error: str = ""
    keys_written: bool = False

    def elsewhere(self, *allowed: int) -> dict[str, int]:
        """What went anywhere but to these ports of 127.0.0.1."""
        return {place: count for place, count in self.sent.items() if place not in {f"127.0.0.1:{n}" for n in allowed}}


@cache
def lacking() -> str | None:
    """Why no namespace can be had here, or None."""
    if not sys.platform.startswith("linux"):
        return "network namespaces are Linux's"
    if missing := [name for name in ("unshare", "ip", "mount") if shutil.which(name) is None]:
        return f"not installed: {', '.join(missing)} (Debian: util-linux, iproute2, mount)"
    probe = "ip link set lo up && ip route add local default dev lo"
    done = subprocess.run(
        ["unshare", "--net", "--mount", "sh", "-c", probe], capture_output=True, text=True, check=False
    )
    return f"no network namespace: {done.stderr.strip()[-200:]}" if done.returncode else None


def run(way: str, folder: Path, *, seconds: float = 240.0) -> Seen:
    """Run a way of `ways.WAYS` in a namespace of its own."""
    home = folder / "home"
    home.mkdir(parents=True)
    (home / ".netrc").write_text(f"default login octavo password {NETRC_PASSWORD}\n", encoding="ascii")
    (home / ".netrc").chmod(0o600)
    resolv = folder / "resolv.conf"
    resolv.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n", encoding="ascii")
    inside = (
        "ip link set lo up && ip route add local default dev lo && (ip -6 route add local ::/0 dev lo || true)"
        f" && mount --bind {resolv} /etc/resolv.conf && exec {sys.executable} {HERE / 'enclosure.py'} {way} {folder}"
    )
    done = subprocess.run(
        ["unshare", "--net", "--mount", "sh", "-c", inside],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        env=_environment(home, folder),
    )
    result = folder / "seen.json"
    assert result.is_file(), done.stdout + done.stderr
    return Seen(**json.loads(result.read_text(encoding="utf-8")))


def _environment(home: Path, folder: Path) -> dict[str, str]:
    proxy = f"http://127.0.0.1:{PROXY}"
    names = ("http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "socks_proxy", "ws_proxy", "wss_proxy")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.lower().endswith("_proxy") and not name.startswith(("OCTAVO_", "OPENAI_"))
    }
    return {
        **kept,
        **dict.fromkeys(names, proxy),
        **dict.fromkeys(map(str.upper, names), proxy),
        "HOME": str(home),
        "NETRC": str(home / ".netrc"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "SSL_CERT_DIR": str(folder / "no-certificates"),
        "SSLKEYLOGFILE": str(folder / "keys.log"),
        "OPENAI_BASE_URL": "http://198.51.100.7/v1",
        "OPENAI_ORG_ID": ENV_HEADER,
        "OPENAI_PROJECT_ID": ENV_HEADER,
        "OPENAI_CUSTOM_HEADERS": f"X-Planted: {ENV_HEADER}",
        "OMP_NUM_THREADS": "1",
        "OMP_THREAD_LIMIT": "1",
    }


class _Recorder:
    """Counts the TCP connections that are begun and the datagrams that are sent, by destination."""

    def __init__(self) -> None:
        self.sent: dict[str, int] = {}
        self._done = threading.Event()
        self._raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self._raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_000_000)
        self._raw.bind(("lo", 0))
        self._raw.settimeout(0.2)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def close(self) -> dict[str, int]:
        self._done.wait(0.5)  # what is still on its way
        self._done.set()
        self._thread.join(10)
        self._raw.close()
        return self.sent

    def _read(self) -> None:
        while not self._done.is_set():
            with contextlib.suppress(TimeoutError):
                packet, place = self._raw.recvfrom(65_535)
                # Each packet passes twice on loopback: on its way out (PACKET_OUTGOING), and in.
                if place[2] == 4 and (to := _destination(packet[14:], packet[12:14])) is not None:
                    self.sent[to] = self.sent.get(to, 0) + 1


def _destination(packet: bytes, kind: bytes) -> str | None:
    if kind == b"\x08\x00":
        header, protocol = 4 * (packet[0] & 15), packet[9]
        address = socket.inet_ntop(socket.AF_INET, packet[16:20])
    elif kind == b"\x86\xdd":
        header, protocol = 40, packet[6]
        address = socket.inet_ntop(socket.AF_INET6, packet[24:40])
    else:
        return None
    source, port = struct.unpack("!HH", packet[header : header + 4])
    if protocol == _TCP:
        flags = packet[header + 13]
        return f"{address}:{port}" if flags & 0x12 == 0x02 else None  # SYN without ACK
    return f"{address}:{port}" if protocol == _UDP and source != 53 else None


@contextlib.contextmanager
def _proxy(seen: Seen) -> Iterator[None]:
    """Takes connections and reads what comes; answers nothing a client could use."""
    listener = socket.create_server(("127.0.0.1", PROXY))

    def take() -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = listener.accept()
                with peer, contextlib.suppress(OSError):
                    peer.settimeout(2)
                    seen.proxy_bytes += len(peer.recv(65_536))
                    peer.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    threading.Thread(target=take, daemon=True).start()
    try:
        yield
    finally:
        listener.close()


@contextlib.contextmanager
def _names() -> Iterator[None]:
    """A DNS server that knows nobody (NXDOMAIN), so that a look-up ends at once."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.1", 53))

    def take() -> None:
        with contextlib.suppress(OSError):
            while True:
                asked, who = listener.recvfrom(4096)
                listener.sendto(asked[:2] + b"\x81\x83" + asked[4:6] + bytes(6) + asked[12:], who)

    threading.Thread(target=take, daemon=True).start()
    try:
        yield
    finally:
        listener.close()


def main(way: str, folder: Path) -> None:
    """Inside the namespace: run a way, and write down what was seen."""
    from ways import WAYS

    work: Callable[[Path], Any] = WAYS[way]
    seen = Seen()
    with _proxy(seen), _names():
        recorder = _Recorder()
        try:
            seen.answer = work(folder)
        except Exception as error:  # noqa: BLE001 - any end of a way is a result: what it sent counts
            seen.error = f"{type(error).__name__}: {error}"
        seen.sent = recorder.close()
    seen.keys_written = (folder / "keys.log").exists()
    (folder / "seen.json").write_text(json.dumps(asdict(seen)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
