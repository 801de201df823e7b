"""What of a distribution could open a connection, told by its imports and by those of the packages that it imports."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NETWORK = frozenset(
    {
        "socket", "_socket", "ssl", "socketserver", "http.client", "http.server", "urllib.request", "ftplib", "smtplib",
        "imaplib", "poplib", "nntplib", "telnetlib", "xmlrpc", "xmlrpc.client", "xmlrpc.server", "asyncore", "webbrowser",
        "logging.handlers", "multiprocessing.connection", "multiprocessing.managers", "wsgiref.simple_server",
    }
)  # fmt: skip
"""Modules of the standard library that connect, or listen."""
PROGRAMS = frozenset({"subprocess", "pty"})
"""Modules that start programs, which may connect."""
LOADERS = frozenset({"ctypes", "_ctypes", "cffi"})
"""Modules that call libraries outside Python, `connect` of the C library among them."""
_ASYNC = re.compile(rb"\b(?:open_connection|create_connection|create_datagram_endpoint|start_server|sock_connect)\b")
_STARTS = re.compile(
    rb"\bos\s*\.\s*(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?)\b|\bcreate_subprocess_\w+"
)
_IMPORT = re.compile(rb"^[ \t]*(?:import[ \t]+([\w., \t]+)|from[ \t]+([\w.]+)[ \t]+import\b[ \t]*\(?([\w, \t]*))", re.M)
_DYNAMIC = re.compile(rb"""(?:import_module|__import__|find_spec|LazyImport|lazy_import)\(\s*["']([\w.]+)["']""")
_NATIVE = (b"\0getaddrinfo\0", b"\0gethostbyname\0", b"\0WSAConnect\0")
"""Names in the table of what a library takes from the C library."""
_NAME = re.compile(r"[A-Za-z0-9._-]+")
CLIENTS = frozenset(
    {
        "aiohttp", "boto3", "botocore", "fsspec", "grpcio", "httpcore", "httpcore2", "httpx", "httpx2", "huggingface-hub",
        "psycopg", "requests", "smart-open", "urllib3", "websockets",
    }
)  # fmt: skip
"""Distributions that are clients of the network."""


@dataclass(frozen=True)
class Distribution:
    """A distribution of this repository: its name and its sources."""

    name: str
    source: Path


def distributions() -> list[Distribution]:
    """Every distribution of the repository that has sources."""
    found = [
        path for path in ROOT.glob("**/pyproject.toml") if ".venv" not in path.parts and (path.parent / "src").is_dir()
    ]
    return [
        Distribution(tomllib.loads(path.read_text(encoding="utf-8"))["project"]["name"], path.parent / "src")
        for path in sorted(found)
    ]


def own_openers(distribution: Distribution) -> set[str]:
    """`module: what` for each module of a distribution that could connect by itself, or start a program."""
    found: set[str] = set()
    for path in distribution.source.glob("**/*.py"):
        data = path.read_bytes()
        module = ".".join(path.relative_to(distribution.source).with_suffix("").parts)
        for name in _imported(path, data):
            if name in NETWORK | PROGRAMS | LOADERS:
                found.add(f"{module}: {name}")
        if _ASYNC.search(data):
            found.add(f"{module}: asyncio")
        if _STARTS.search(data):
            found.add(f"{module}: os")
    return found


def handed_to(distribution: Distribution) -> set[str]:
    """Packages of others that a distribution imports and that could connect, by themselves or by what they import."""
    found: set[str] = set()
    for path in distribution.source.glob("**/*.py"):
        for name in _imported(path, path.read_bytes()):
            package = name.partition(".")[0]
            if package in sys.stdlib_module_names or package.startswith("octavo") or package == "__future__":
                continue
            if opens(package):
                found.add(package)
    return found


@cache
def opens(package: str) -> bool:
    """Whether a package could connect: by its own modules, its libraries, or a client that it declares as a requirement."""
    if package in CLIENTS or _opens_itself(package):
        return True
    names = packages_distributions().get(package, ())
    return any(_requires_client(canonical(name), frozenset()) for name in names)


@cache
def _opens_itself(package: str) -> bool:
    for path in _files(package):
        data = path.read_bytes()
        if path.suffix == ".py":
            if not NETWORK.isdisjoint(_named(data)) or _ASYNC.search(data):
                return True
        elif any(name in data for name in _NATIVE):
            return True
    return False


def _requires_client(distribution: str, above: frozenset[str]) -> bool:
    if distribution in CLIENTS:
        return True
    try:
        required = requires(distribution) or []
    except PackageNotFoundError:
        return False
    names = {canonical(_NAME.match(one)[0]) for one in required if "extra ==" not in one}
    return any(_requires_client(name, above | {distribution}) for name in names - above - {distribution})


def canonical(name: str) -> str:
    """A distribution's name as indexes write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _files(package: str) -> Iterator[Path]:
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return
    if spec is None:
        return
    if spec.submodule_search_locations is None:
        if spec.origin and Path(spec.origin).is_file():
            yield Path(spec.origin)
        return
    for place in spec.submodule_search_locations:
        for path in Path(place).rglob("*"):
            if path.suffix in (".py", ".so", ".pyd", ".dylib") and not {"tests", "testing"} & set(path.parts):
                yield path


def _imported(path: Path, data: bytes) -> Iterator[str]:
    """Every module that a source names in an import, also inside a function, and by `import_module`."""
    for node in ast.walk(ast.parse(data, filename=str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
    yield from (match[1].decode() for match in _DYNAMIC.finditer(data))


def _named(data: bytes) -> Iterator[str]:
    """As `_imported`, by a pattern: thousands of files are read."""
    for match in _IMPORT.finditer(data):
        if match[1] is not None:
            for part in match[1].decode("utf-8", "replace").split(","):
                if words := part.split():
                    yield words[0]
        else:
            base = match[2].decode("utf-8", "replace")
            if not base.startswith("."):
                yield base
                yield from (f"{base}.{word.split()[0]}" for word in match[3].decode().split(",") if word.split())
    yield from (match[1].decode() for match in _DYNAMIC.finditer(data))
