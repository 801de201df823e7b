"""Type checkers compare the implementation of a hook with its signature: parameters in any order, each by its name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from octavo_contracts import Conversion, HookContext, Page, SourceView, hookimpl

HEAD = """\
from octavo_contracts import (
    Conversion, ConvertRequest, DocumentClassification, EntityObservation, EntityRequest, HookContext, OCRRequest,
    OCRResult, PageImage, QualityAssessment, QualityEvidence, SourceView, hookimpl,
)

"""
GOOD = (
    "def convert(source: SourceView) -> Conversion: ...",
    "def convert(context: HookContext, source: SourceView) -> Conversion: ...",
    "def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion: ...",
    "def classify(source: SourceView) -> DocumentClassification | None: ...",
    "def classify(source: SourceView, context: HookContext) -> DocumentClassification: ...",
    "def ocr(image: PageImage, request: OCRRequest) -> OCRResult: ...",
    "def extract_entities(request: EntityRequest, text: str) -> tuple[EntityObservation, ...]: ...",
    "def score_quality(evidence: QualityEvidence, conversion: Conversion) -> QualityAssessment | None: ...",
)
BAD = {
    "def convert(source: SourceView, nonsense: ConvertRequest) -> Conversion: ...": "a parameter that no hook has",
    "def convert(source: SourceView) -> str: ...": "a result that no hook has",
    "def convert(source: str) -> Conversion: ...": "a parameter of another type",
    "def ocr(source: SourceView) -> OCRResult: ...": "the parameter of another hook",
    "async def convert(source: SourceView) -> Conversion: ...": "a coroutine",
    "def extract_entities(text: str) -> list[EntityObservation]: ...": "a list",
}


def errors(folder: Path, *implementations: str) -> list[str]:
    """The errors that mypy finds, one text for each."""
    file = folder / "hooks.py"
    file.write_text(HEAD + "".join(f"\n@hookimpl\n{one}\n" for one in implementations), encoding="utf-8")
    options = [
        "--strict",
        "--no-incremental",
        "--allow-redefinition",
        "--disable-error-code=empty-body",
        "--disable-error-code=no-redef",
    ]
    done = subprocess.run([sys.executable, "-m", "mypy", *options, file.name], cwd=folder, capture_output=True, text=True, check=False)  # fmt: skip
    return [line for line in done.stdout.splitlines() if ": error: " in line]


def test_mypy_accepts_every_way_to_implement_a_hook_and_no_other(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed: it is in the extra `dev`")
    assert errors(tmp_path, *GOOD) == []
    for bad, why in BAD.items():
        assert len(errors(tmp_path, bad)) == 1, why


def test_the_marked_function_is_the_function() -> None:
    def convert(source: SourceView, context: HookContext) -> Conversion:
        return Conversion(pages=(Page(number=1, kind="whole", markdown=source.name),), paginated=False)

    assert hookimpl(convert) is convert
