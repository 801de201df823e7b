"""Names of files under which a fresh document is converted again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from octavo_conformance.kit import run_plugin
from octavo_conformance.runner import Selection

READER = """
import re
from octavo_contracts import Conversion, DocumentMetadata, Page, SourceEmpty, hookimpl

@hookimpl
def convert(source, request):
    if source.size == 0:
        raise SourceEmpty("the file has no bytes")
    text = source.read_bytes().decode("utf-8", "replace")
    found = re.search(r"PATTERN", source.name)
    return Conversion(
        pages=(Page(number=1, kind="whole", markdown=text, text=text),), paginated=False,
        metadata=DocumentMetadata(date=found and found[1] + "-01-01"),
    )
"""


def _status(make_plugin: Callable[..., Any], pattern: str) -> str:
    make_plugin("plain", READER.replace("PATTERN", pattern), hooks=["convert"], media_types=["text/plain"])
    chosen = Selection(level=3, seed=7, checks=frozenset({"OC-DET-007"}), vectors=frozenset({"txt/fresh.txt"}))
    (found,) = [one for one in run_plugin("plain", selection=chosen).outcomes if one.check == "OC-DET-007"]
    return found.status


def test_a_converter_that_takes_the_date_from_the_name_is_found(make_plugin: Callable[..., Any]) -> None:
    # The names that have always been tried have one year, behind a blank.
    assert _status(make_plugin, "(?<![0-9a-f ])((?:19|20)[0-9][0-9])[-._]") == "failed"


def test_a_converter_that_reads_no_date_from_the_name_passes(make_plugin: Callable[..., Any]) -> None:
    assert _status(make_plugin, "(never)") == "passed"
