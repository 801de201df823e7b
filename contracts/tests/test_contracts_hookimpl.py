"""`hookimpl` for type checkers: mypy reports an implementation that no hook could have, and no other."""

from __future__ import annotations

import re
import subprocess
import sys
from types import ModuleType

import pluggy
import pytest
from octavo_contracts import PROJECT_NAME, hookimpl

HEAD = "from octavo_contracts import *\n"
GOOD = {
    "all parameters": "@hookimpl\ndef convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion: ...",
    "some parameters": "@hookimpl\ndef convert(source: SourceView, context: HookContext) -> Conversion: ...",
    "another order": "@hookimpl\ndef ocr(context: HookContext, request: OCRRequest, image: PageImage) -> OCRResult: ...",
    "no parameters": "@hookimpl\ndef ocr() -> OCRResult: ...",
    "no opinion": "@hookimpl\ndef classify(source: SourceView) -> None: ...",
    "an opinion or none": "@hookimpl\ndef classify(source: SourceView) -> DocumentClassification | None: ...",
    "an opinion always": "@hookimpl\ndef score_quality(evidence: QualityEvidence) -> QualityAssessment: ...",
    "entities": "@hookimpl\ndef extract_entities(text: str, request: EntityRequest) -> tuple[EntityObservation, ...]: ...",
    "a wider parameter": "@hookimpl\ndef convert(source: object) -> Conversion: ...",
    "a default": "@hookimpl\ndef convert(source: SourceView, pages: int = 3) -> Conversion: ...",
    "an option": "@hookimpl(tryfirst=True)\ndef convert(source: SourceView) -> Conversion: ...",
}
BAD = {
    "unknown parameter": "@hookimpl\ndef convert(source: SourceView, nonsense: HookContext) -> Conversion: ...",
    "misspelt parameter": "@hookimpl\ndef convert(sources: SourceView) -> Conversion: ...",
    "parameter of another hook": "@hookimpl\ndef ocr(text: str, request: OCRRequest) -> OCRResult: ...",
    "type of a parameter": "@hookimpl\ndef convert(source: bytes) -> Conversion: ...",
    "request of another hook": "@hookimpl\ndef convert(source: SourceView, request: OCRRequest) -> Conversion: ...",
    "answer of a wrong type": "@hookimpl\ndef convert(source: SourceView) -> str: ...",
    "answer that may be missing": "@hookimpl\ndef convert(source: SourceView) -> Conversion | None: ...",
    "list of entities": "@hookimpl\ndef extract_entities(text: str) -> list[EntityObservation]: ...",
    "coroutine": "@hookimpl\nasync def convert(source: SourceView) -> Conversion: ...",
    "answer of a wrong type, with an option": "@hookimpl(trylast=True)\ndef convert(source: SourceView) -> str: ...",
    "unknown option": "@hookimpl(first=True)\ndef convert(source: SourceView) -> Conversion: ...",
}


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of the implementations that `mypy --strict` reports: one run for all, because its start takes seconds."""
    pytest.importorskip("mypy", reason="mypy is not installed: it is in the extra `dev`")
    folder = tmp_path_factory.mktemp("typed")
    for number, code in enumerate((*GOOD.values(), *BAD.values())):
        body = HEAD + code.replace(": ...", ":\n    raise NotImplementedError\n")
        (folder / f"plugin_{number}.py").write_text(body, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file", "", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=600,
    )
    assert "checked" in done.stdout, done.stdout + done.stderr
    numbers = {int(found) for found in re.findall(r"^plugin_(\d+)\.py:\d+: error:", done.stdout, re.MULTILINE)}
    return {name for number, name in enumerate((*GOOD, *BAD)) if number in numbers}


@pytest.mark.parametrize("name", GOOD)
def test_mypy_accepts_an_implementation(name: str, reported: set[str]) -> None:
    assert name not in reported


@pytest.mark.parametrize("name", BAD)
def test_mypy_reports_a_mistaken_implementation(name: str, reported: set[str]) -> None:
    assert name in reported


def test_at_run_time_it_is_the_marker_of_pluggy() -> None:
    """The types add nothing to a call: the function is returned as it is, with pluggy's mark."""

    @hookimpl
    def classify() -> None:
        return None

    assert isinstance(hookimpl, pluggy.HookimplMarker)
    plugin = ModuleType("plugin")
    plugin.classify = classify  # type: ignore[attr-defined]  # a module has what it is given
    options = pluggy.PluginManager(PROJECT_NAME).parse_hookimpl_opts(plugin, "classify")
    assert options is not None
    assert options["tryfirst"] is False
