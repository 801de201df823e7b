"""Test kit for hosts: hostile plugins, each of which the host must survive and report.

from octavo_conformance import HostConformance

class TestMyHost(HostConformance):
    def make_host(self, folder):
        return MyHost(folder)
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from octavo.settings.settings import Settings
from octavo_contracts import HardFailReason, IngestionResult, ToolUnavailable

from .documents import check_document
from .evidence import ResultEvidence
from .plugin_folder import importable
from .reference import PluginText, install

_MANIFEST = """\
[plugin]
name = "{name}"
contract = "1.0"
description = "A hostile plugin of the conformance suite."
hooks = ["convert"]
media_types = ["text/plain"]
capabilities = [CAPABILITIES]

[plugin.limits]
memory_mb = 128

[plugin.engine]
licence = "Apache-2.0"
"""
_HEAD = (
    "import os, sys, time\nfrom octavo_contracts import Conversion, Page, hookimpl\n\n@hookimpl\ndef convert(source):\n"
)
_GOOD = '    return Conversion(pages=(Page(number=1, kind="whole", markdown=source.read_bytes().decode()),), paginated=False)\n'
GOOD = "host-good"
TIMEOUT = 3.0
"""Timeout for a plugin, seconds, passed to the host."""
PATIENCE = 40.0
"""Seconds within which the host must return a result, even on a busy machine."""


class Host(Protocol):
    """Interface of a host application under test."""

    def ingest(self, path: Path, *, plugin: str, timeout: float) -> IngestionResult:
        """Ingest a document with one plugin; must not raise for failures of the document or the plugin."""

    def close(self) -> None:
        """Shut the host down."""


class LibraryHost:
    """`octavo_library.Library` as a host; install it with `octavo-conformance[host]`.

    Args:
        folder: parent of its library.

    Raises:
        ToolUnavailable: octavo-library is not installed.
    """

    def __init__(self, folder: Path) -> None:
        try:
            from octavo_library import Library
        except ModuleNotFoundError as error:
            raise ToolUnavailable(
                "the default host needs octavo-library, which is not installed",
                remedy="Run: pip install 'octavo-conformance[host]', or override make_host",
            ) from error
        self._library = Library.open(folder / "library", settings=Settings(workers=1))

    def ingest(self, path: Path, *, plugin: str, timeout: float) -> IngestionResult:
        """See `Host`."""
        return self._library.ingest(path, plugin=plugin, timeout=timeout).result

    def close(self) -> None:
        """See `Host`."""
        self._library.close()


@dataclass(frozen=True, kw_only=True)
class HostilePlugin:
    """A plugin that tries to harm its host.

    Attributes:
        name: its behaviour.
        body: the body of its hook, or with `whole` its entire module.
        reasons: reason codes that the host may report.
        subprocess: whether it declares the capability `subprocess`.
        whole: whether `body` is the entire module.
    """

    name: str
    body: str
    reasons: tuple[HardFailReason, ...]
    subprocess: bool = False
    whole: bool = False

    def text(self) -> PluginText:
        """Return its module and manifest."""
        capabilities = '"subprocess"' if self.subprocess else ""
        return PluginText(
            code=self.body if self.whole else _HEAD + self.body,
            manifest=_MANIFEST.replace("CAPABILITIES", capabilities),
        )


_CRASHED, _ENDED = (
    (HardFailReason.CONVERTER_CRASHED,),
    (HardFailReason.CONVERTER_CRASHED, HardFailReason.CONVERSION_TIMEOUT),
)

HOSTILE: tuple[HostilePlugin, ...] = (
    HostilePlugin(name="raises", body='    raise RuntimeError("boom")\n', reasons=_CRASHED),
    HostilePlugin(name="hangs", body="    while True:\n        try:\n            time.sleep(60)\n        except BaseException:\n            pass\n", reasons=(HardFailReason.CONVERSION_TIMEOUT,)),
    HostilePlugin(name="leaks", body='    kept = []\n    while True:\n        kept.append(b"x" * (8 << 20))\n', reasons=(HardFailReason.MEMORY_EXCEEDED,)),
    HostilePlugin(name="floods-output", body='    while True:\n        sys.stdout.write("x" * 100_000)\n', reasons=_ENDED),
    HostilePlugin(name="floods-files", body='    for number in range(2000):\n        open(f"file-{number}", "w").close()\n    time.sleep(30)\n', reasons=(HardFailReason.CONTENT_TOO_LARGE,)),
    HostilePlugin(name="floods-the-result", body='    return Conversion(pages=(Page(number=1, kind="whole", markdown="x" * (400 << 20)),), paginated=False)\n', reasons=(HardFailReason.MEMORY_EXCEEDED, HardFailReason.CONTENT_TOO_LARGE)),
    HostilePlugin(name="bad-import", body="import octavo_not_installed\n", reasons=(HardFailReason.TOOL_UNAVAILABLE,), whole=True),
    HostilePlugin(name="lies", body="    return Conversion.model_construct(pages=(), paginated=True)\n", reasons=(HardFailReason.DOC25_CONTRACT_VIOLATION,)),
    HostilePlugin(name="lies-about-hooks", body="from octavo_contracts import hookimpl\n\n@hookimpl\ndef classify(source):\n    return None\n", reasons=(HardFailReason.DOC25_CONTRACT_VIOLATION,), whole=True),
    HostilePlugin(name="segfaults", body="    import ctypes\n    ctypes.string_at(0)\n", reasons=_CRASHED),
    HostilePlugin(name="exits", body="    os._exit(0)\n", reasons=_CRASHED),
    HostilePlugin(name="forks", body="    for _ in range(100):\n        if os.fork() == 0:\n            time.sleep(30)\n            os._exit(0)\n    time.sleep(30)\n", reasons=(*_ENDED, HardFailReason.MEMORY_EXCEEDED), subprocess=True),
)  # fmt: skip
"""A hundred children: a fork bomb that the test machine survives even if the host does not stop it."""


class HostConformance:
    """Each hostile plugin as a test method. Override `make_host` to test a host other than `octavo_library.Library`."""

    def make_host(self, folder: Path) -> Host:
        """Create the host under test.

        Args:
            folder: an empty folder for its data.
        """
        return LibraryHost(folder)


def survives(kit: HostConformance, plugin: HostilePlugin, folder: Path) -> None:
    """Ingest with a hostile plugin, then with a good one.

    Raises:
        AssertionError: the host did not report the failure as the contract requires, or could not continue.
    """
    site = folder / "site"
    name = f"host-{plugin.name}"
    install(site, name, plugin.text())
    install(site, GOOD, PluginText(code=_HEAD + _GOOD, manifest=_MANIFEST.replace("CAPABILITIES", "")))
    bad, good = folder / "bad.txt", folder / "good.txt"
    bad.write_text("a document that meets a hostile plugin", encoding="utf-8")
    good.write_text("the next document", encoding="utf-8")
    with importable(site):
        host = kit.make_host(folder / "host")
        try:
            started = time.monotonic()
            result = host.ingest(bad, plugin=name, timeout=TIMEOUT)
            seconds = time.monotonic() - started
            after = host.ingest(good, plugin=GOOD, timeout=PATIENCE)
        finally:
            host.close()
    assert seconds < PATIENCE, f"the host returned after {seconds:.0f} s; the plugin's timeout was {TIMEOUT:g} s"
    assert result.ingestion_status == "hard_failed", f"{plugin.name}: the status is {result.ingestion_status}"
    found = result.failure_receipts[-1].reason_code
    assert found in plugin.reasons, f"{plugin.name}: the reason is {found}, expected {' or '.join(plugin.reasons)}"
    assert result.failure_receipts[-1].details, f"{plugin.name}: the failure receipt has no details"
    assert after.ingestion_status != "hard_failed", (
        f"after {plugin.name} the next document fails: {after.failure_receipts}"
    )
    for one in (result, after):
        broken = [
            f"{o.check.id}: {o.reason}"
            for o in check_document(ResultEvidence(data=json.loads(one.to_json())))
            if o.is_bad
        ]
        assert not broken, f"{plugin.name}: the host's result violates {broken}"


def _test_of(plugin: HostilePlugin) -> Callable[[HostConformance, Path], None]:
    def test(self: HostConformance, tmp_path: Path) -> None:
        (tmp_path / "host").mkdir()
        survives(self, plugin, tmp_path)

    test.__name__ = f"test_survives_a_plugin_that_{plugin.name.replace('-', '_')}"
    test.__doc__ = f"The host survives and reports a plugin that {plugin.name.replace('-', ' ')}."
    return test


for _plugin in HOSTILE:
    _made = _test_of(_plugin)
    setattr(HostConformance, _made.__name__, _made)
