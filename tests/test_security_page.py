"""SECURITY.md states limits; what it states is what the code holds."""

from __future__ import annotations

import re
from pathlib import Path

from octavo.settings.settings import Settings
from octavo_contracts import HardFailReason
from octavo_sandbox import SandboxLimits
from octavo_sandbox.preflight import PreflightLimits
from octavo_sandbox.readable_paths import DATA, DEVICES, LIBRARIES, MACHINE, PROGRAMS

PAGE = Path(__file__).resolve().parents[1] / "SECURITY.md"


def stated() -> dict[str, tuple[str, str]]:
    """Limit → default and reason code, as the page's table has them."""
    text = PAGE.read_text(encoding="utf-8").partition("\n## Limits\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return {limit: (default, reason) for limit, default, reason in rows[2:]}


def size(count: int) -> str:
    """Bytes in the largest unit that divides them."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20)):
        if count % factor == 0:
            return f"{count // factor} {unit}"
    raise AssertionError(f"{count} bytes are no whole MiB")


def held() -> dict[str, tuple[str, str]]:
    """The same, from the code."""
    call, settings, preflight = SandboxLimits(), Settings(), PreflightLimits()
    assert preflight.ratio_floor_bytes == 1 << 20, "the row on expansion names it"
    assert settings.max_pages == preflight.max_pages
    large = "`content_too_large`"
    depths = f"{preflight.max_html_depth:,}, {preflight.max_xml_depth:,}, {preflight.max_json_depth:,}"
    return {
        "wall time of a call": (f"{call.wall_seconds:g} s", "`conversion_timeout`"),
        "wall time of all plugins tried on a document, and of the host's work on their texts": (
            f"{settings.budget(None).seconds:g} s",
            "`conversion_timeout`",
        ),
        "memory above the imported engine": (size(call.memory_mb << 20), "`memory_exceeded`"),
        "bytes of an answer": (size(call.result_bytes), large),
        "temporary files of a worker": (f"{size(call.temp_bytes)}, {call.temp_files} files", large),
        "printed output of a worker": (size(call.output_bytes), "`converter_crashed`"),
        "threads of a worker": (str(call.threads), "`converter_crashed`"),
        "processes of a worker that may start programs": (str(call.processes), "`converter_crashed`"),
        "pages": (f"{settings.max_pages:,}", large),
        "entries of a container, nested ones included": (f"{preflight.max_entries:,}", large),
        "unpacked size of a container": (size(preflight.max_unpacked_bytes), large),
        "expansion of an entry above 1 MiB": (f"{preflight.max_ratio} to 1", large),
        "containers within containers": (str(preflight.max_archive_depth), large),
        "size of a container within a container": (size(preflight.max_nested_bytes), large),
        "pixels of an image": (f"{preflight.max_image_pixels // 1_000_000} million", large),
        "depth of HTML, XML, JSON": (depths, large),
        "messages within messages": (str(preflight.max_message_depth), large),
    }


def test_the_table_of_limits_is_what_the_code_holds() -> None:
    assert stated() == held()


def test_every_limit_stands_in_the_table() -> None:
    """A new limit is not forgotten: each field of the two classes is named here."""
    told = {
        "wall_seconds",
        "memory_mb",
        "result_bytes",
        "temp_bytes",
        "temp_files",
        "output_bytes",
        "threads",
        "processes",
    }
    assert set(vars(SandboxLimits())) - told == {"open_files"}, "an engine's own error; see docs/reference/limits.md"
    names = {name.removeprefix("max_") for name in vars(PreflightLimits())}
    assert names == {
        "pages", "entries", "unpacked_bytes", "ratio", "ratio_floor_bytes", "archive_depth", "nested_bytes",
        "image_pixels", "html_depth", "xml_depth", "json_depth", "message_depth", "sheet_cells",
    }  # fmt: skip


def test_every_reason_code_that_the_page_names_exists() -> None:
    assert {reason for _, reason in stated().values()} <= {f"`{code.value}`" for code in HardFailReason}
    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", PAGE.read_text(encoding="utf-8")))
    assert named - {"sandbox_level", "require_sandbox"} <= {code.value for code in HardFailReason}


def readable() -> dict[str, set[str]]:
    """What a worker may read, as the page has it: row → paths."""
    text = PAGE.read_text(encoding="utf-8").partition("\n## What a worker may read\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")][2:]
    return {what.strip(): set(re.findall(r"`(/[^`]*)`", paths)) for what, _, paths in rows}


def test_what_a_worker_may_read_is_what_the_page_says() -> None:
    assert readable() == {
        "shared libraries": set(LIBRARIES),
        "data of libraries": set(DATA),
        "the machine": set(MACHINE),
        "devices, written too": {str(path) for path in DEVICES},
        "programs and their settings": set(PROGRAMS),
    }
