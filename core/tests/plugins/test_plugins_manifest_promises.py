"""What a manifest says holds: one call at a time, the largest source, memory within the host's cap, options."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import octavo
import pytest
from octavo.plugins import PluginSelection
from octavo.plugins.declared_limits import SHIPPED_GRANTS, turn_of, within_caps
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo.settings.sources.loading import load_settings
from octavo_contracts import ManifestError, PluginManifest, UsageError
from octavo_sandbox import Cancelled, SandboxLimits

HEAD = (
    "import json, time\nfrom octavo_contracts import *\n"
    "def page(text):\n    return Conversion(pages=(Page(number=1, kind='whole', markdown=text),), paginated=False)\n"
    "@hookimpl\ndef convert(source, request, context):\n    "
)
SPAN = HEAD + "start = time.time()\n    time.sleep(0.3)\n    return page(f'{start} {time.time()}')\n"
ECHO = HEAD + "return page(json.dumps([dict(context.options), request.options], sort_keys=True))\n"
SIZED = """
[plugin.options.columns]
type = "integer"
minimum = 1
maximum = 12
default = 2
description = "Number of columns."

[plugin.options.mode]
type = "string"
enum = ["plain", "rich"]
"""

Install = Callable[..., Path]


def text_of(runtime: Runtime, plugin: str, data: bytes = b"hello", **options: Any) -> str:
    return octavo.convert(data, name="a.txt", plugin=plugin, runtime=runtime, **options).text


def test_a_serial_plugin_is_called_once_at_a_time(make_plugin: Install) -> None:
    make_plugin("turns", SPAN, concurrency="serial")
    with Runtime(Settings(workers=3)) as runtime, ThreadPoolExecutor(3) as threads:
        texts = list(threads.map(lambda n: text_of(runtime, "turns", f"document {n}".encode()), range(3)))
    spans = sorted(tuple(map(float, text.split())) for text in texts)

    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))


def test_a_call_that_waits_for_its_turn_can_be_cancelled(make_plugin: Install) -> None:
    make_plugin("alone", SPAN, concurrency="serial")
    with Runtime(Settings(workers=1)) as runtime:
        plugin = runtime.catalogue.get("alone")
    cancel = threading.Event()
    with turn_of(plugin, None), ThreadPoolExecutor(1) as threads:

        def wait() -> None:
            with turn_of(plugin, cancel):
                pass

        waiting = threads.submit(wait)
        cancel.set()
        with pytest.raises(Cancelled):
            waiting.result(timeout=30)


def test_a_larger_source_than_the_manifest_allows_goes_to_the_next_plugin(make_plugin: Install, tmp_path: Path) -> None:
    """The failed attempt says why."""
    make_plugin("tiny", ECHO, more="[plugin.limits]\nmax_bytes = 5\n")
    profile = tmp_path / "mine.toml"
    profile.write_text('[routes]\nplain_text = ["tiny", "plaintext"]\n[escalate]\n', encoding="utf-8")
    with Runtime(Settings(workers=1, profile=str(profile))) as runtime:
        small, large = (octavo.convert(data, name="a.txt", runtime=runtime).result for data in (b"12345", b"123456"))

    assert small.quality_report.selected_tool == "tiny"
    assert large.quality_report.selected_tool == "plaintext"
    refused = next(attempt for attempt in large.attempts if attempt.plugin == "tiny")
    assert (refused.outcome, refused.reason_code) == ("failed", "content_too_large")


@pytest.mark.parametrize(
    ("host", "asked", "granted", "allowed"),
    [
        (2048, None, None, 2048),
        (2048, 512, None, 512),
        (2048, 4096, None, 2048),
        (200, 4096, None, 200),
        (200, 4096, 1024, 1024),
        (200, 512, 1024, 512),
        (2048, 4096, 4096, 4096),
        (4096, None, 64, 4096),
    ],
)
def test_the_hosts_memory_limit_is_a_cap(
    make_plugin: Install, host: int, asked: int | None, granted: int | None, allowed: int
) -> None:
    more = f"[plugin.limits]\nmemory_mb = {asked}\n" if asked else ""
    make_plugin("hungry", ECHO, more=more)
    with Runtime(Settings(workers=1)) as runtime:
        plugin = runtime.catalogue.get("hungry")

    assert within_caps(SandboxLimits(memory_mb=host), plugin, granted=granted).memory_mb == allowed


def test_a_plugin_that_asks_for_more_memory_than_the_host_allows_is_killed_at_the_hosts_limit(
    make_plugin: Install,
) -> None:
    code = HEAD + "held = b'x' * (400 << 20)\n    return page(str(len(held)))\n"
    make_plugin("hungry", code, more="[plugin.limits]\nmemory_mb = 4096\n")
    limits = SandboxLimits(memory_mb=128)
    with Runtime(Settings(workers=1, limits=limits)) as runtime:
        capped = octavo.convert(b"hello", name="a.txt", plugin="hungry", runtime=runtime).result
    leave = PluginSelection(memory={"hungry": 1024})
    with Runtime(Settings(workers=1, limits=limits, plugins=leave)) as runtime:
        granted = text_of(runtime, "hungry")

    assert {attempt.reason_code for attempt in capped.attempts if attempt.plugin == "hungry"} == {"memory_exceeded"}
    assert granted == str(400 << 20)


def test_options_reach_the_hook_with_the_defaults_of_the_others(make_plugin: Install) -> None:
    make_plugin("sized", ECHO, more=SIZED)
    with Runtime(Settings(workers=1)) as runtime:
        assert json.loads(text_of(runtime, "sized")) == [{"columns": 2}] * 2
    chosen = PluginSelection(options={"sized": {"mode": "rich"}})
    with Runtime(Settings(workers=1, plugins=chosen)) as runtime:
        assert json.loads(text_of(runtime, "sized")) == [{"columns": 2, "mode": "rich"}] * 2


def test_options_of_a_profile_are_stronger_than_those_of_the_settings(make_plugin: Install, tmp_path: Path) -> None:
    make_plugin("sized", ECHO, more=SIZED)
    profile = tmp_path / "mine.toml"
    profile.write_text("[routes]\n[escalate]\n[plugins.sized]\ncolumns = 7\n", encoding="utf-8")
    chosen = PluginSelection(options={"sized": {"columns": 3, "mode": "plain"}})
    with Runtime(Settings(workers=1, plugins=chosen)) as runtime:
        told = json.loads(text_of(runtime, "sized", profile=str(profile)))

    assert told == [{"columns": 7, "mode": "plain"}] * 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sized": {"colums": 3}}, "no option 'colums'; it has columns, mode"),
        ({"sized": {"columns": "3"}}, "must be of type integer"),
        ({"sized": {"columns": True}}, "must be of type integer"),
        ({"sized": {"columns": 13}}, "maximum of the option 'columns' is 12"),
        ({"sized": {"mode": "wild"}}, "must be one of plain, rich"),
        ({"sizd": {"columns": 3}}, "sizd"),
    ],
)
def test_an_option_that_the_manifest_does_not_allow_is_an_error(
    make_plugin: Install, options: dict[str, dict[str, Any]], said: str
) -> None:
    make_plugin("sized", ECHO, more=SIZED)
    with (
        Runtime(Settings(workers=1, plugins=PluginSelection(options=options))) as runtime,
        pytest.raises(UsageError, match=said),
    ):
        text_of(runtime, "sized")


def test_options_are_a_table_of_the_plugin_in_a_settings_file(
    make_plugin: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_plugin("sized", ECHO, more=SIZED)
    (tmp_path / "octavo.toml").write_text(
        "[plugins]\nblock = []\n[plugins.memory]\nsized = 512\n[plugins.sized]\ncolumns = 4\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)

    loaded = load_settings().settings

    assert loaded.plugins is not None
    assert (loaded.plugins.options, loaded.plugins.memory) == ({"sized": {"columns": 4}}, {"sized": 512})
    with Runtime(loaded) as runtime:
        assert json.loads(text_of(runtime, "sized"))[0] == {"columns": 4}


@pytest.mark.parametrize(
    "rule",
    [
        'type = "colour"',
        'type = "integer"\nmultipleOf = 2',
        'type = "integer"\ndefault = "two"',
        'type = "string"\npattern = "("',
        'type = "integer"\nminimum = "low"',
        'type = "string"\nenum = "plain"',
    ],
)
def test_an_option_that_is_declared_wrongly_makes_the_manifest_invalid(rule: str) -> None:
    text = f"""
[plugin]
name = "small"
description = "Small"
hooks = ["classify"]
[plugin.engine]
licence = "MIT"
[plugin.options.size]
{rule}
"""
    with pytest.raises(ManifestError, match="size"):
        PluginManifest.from_toml(text)


def test_the_grants_are_what_the_manifests_of_shipped_engines_ask_for() -> None:
    folder = Path(__file__).parents[3] / "plugins"
    manifests = [
        PluginManifest.from_toml(path.read_text(encoding="utf-8")) for path in folder.rglob("octavo-plugin.toml")
    ]
    asked = {manifest.name: manifest.limits.memory_mb for manifest in manifests}
    above = {name: memory for name, memory in asked.items() if (memory or 0) > SandboxLimits().memory_mb}
    assert above == SHIPPED_GRANTS
