"""The signatures of hook implementations, for type checkers; never imported when a program runs.

A hook is called with keywords, and an implementation declares those parameters that it uses, in any order. Each protocol
here is one such choice. `hookimpl` accepts a function that fits one of them, so that a misspelt parameter or a wrong result
is an error of the type checker.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from .classification import DocumentClassification
from .conversion import Conversion, ConvertRequest
from .entities import EntityObservation, EntityRequest
from .hook_context import HookContext
from .ocr import OCRRequest, OCRResult, PageImage
from .quality import QualityAssessment, QualityEvidence
from .source import SourceView


class _Classify(Protocol):
    def __call__(self, *, source: SourceView) -> DocumentClassification | None: ...


class _ClassifyInContext(Protocol):
    def __call__(self, *, source: SourceView, context: HookContext) -> DocumentClassification | None: ...


class _Convert(Protocol):
    def __call__(self, *, source: SourceView) -> Conversion: ...


class _ConvertRequested(Protocol):
    def __call__(self, *, source: SourceView, request: ConvertRequest) -> Conversion: ...


class _ConvertInContext(Protocol):
    def __call__(self, *, source: SourceView, context: HookContext) -> Conversion: ...


class _ConvertRequestedInContext(Protocol):
    def __call__(self, *, source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion: ...


class _Recognise(Protocol):
    def __call__(self, *, image: PageImage) -> OCRResult: ...


class _RecogniseRequested(Protocol):
    def __call__(self, *, image: PageImage, request: OCRRequest) -> OCRResult: ...


class _RecogniseInContext(Protocol):
    def __call__(self, *, image: PageImage, context: HookContext) -> OCRResult: ...


class _RecogniseRequestedInContext(Protocol):
    def __call__(self, *, image: PageImage, request: OCRRequest, context: HookContext) -> OCRResult: ...


class _Extract(Protocol):
    def __call__(self, *, text: str) -> tuple[EntityObservation, ...]: ...


class _ExtractRequested(Protocol):
    def __call__(self, *, text: str, request: EntityRequest) -> tuple[EntityObservation, ...]: ...


class _ExtractInContext(Protocol):
    def __call__(self, *, text: str, context: HookContext) -> tuple[EntityObservation, ...]: ...


class _ExtractRequestedInContext(Protocol):
    def __call__(self, *, text: str, request: EntityRequest, context: HookContext) -> tuple[EntityObservation, ...]: ...


class _ScoreConversion(Protocol):
    def __call__(self, *, conversion: Conversion) -> QualityAssessment | None: ...


class _ScoreEvidence(Protocol):
    def __call__(self, *, evidence: QualityEvidence) -> QualityAssessment | None: ...


class _Score(Protocol):
    def __call__(self, *, conversion: Conversion, evidence: QualityEvidence) -> QualityAssessment | None: ...


class _ScoreConversionInContext(Protocol):
    def __call__(self, *, conversion: Conversion, context: HookContext) -> QualityAssessment | None: ...


class _ScoreInContext(Protocol):
    def __call__(
        self, *, conversion: Conversion, evidence: QualityEvidence, context: HookContext
    ) -> QualityAssessment | None: ...


HookImplementation = (
    _Classify
    | _ClassifyInContext
    | _Convert
    | _ConvertRequested
    | _ConvertInContext
    | _ConvertRequestedInContext
    | _Recognise
    | _RecogniseRequested
    | _RecogniseInContext
    | _RecogniseRequestedInContext
    | _Extract
    | _ExtractRequested
    | _ExtractInContext
    | _ExtractRequestedInContext
    | _ScoreConversion
    | _ScoreEvidence
    | _Score
    | _ScoreConversionInContext
    | _ScoreInContext
)
"""A function that implements one of the five hooks."""

Implementation = TypeVar("Implementation", bound=HookImplementation)


class HookMarker(Protocol):
    """The decorator `hookimpl`."""

    def __call__(self, function: Implementation) -> Implementation:
        """Mark a function as the implementation of the hook with its name."""
