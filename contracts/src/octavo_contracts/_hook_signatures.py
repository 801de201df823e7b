"""Types of hook implementations, for type checkers: this module is not imported at run time.

A hook implementation names any of its hook's parameters, in any order: pluggy passes them by name. A function type that does so
is a protocol with keyword-only parameters, one for each choice of parameters; the name of the hook itself is beyond types and
is compared with the manifest when the plugin is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar, overload

from .classification import DocumentClassification
from .conversion import Conversion, ConvertRequest
from .entities import EntityObservation, EntityRequest
from .hook_context import HookContext
from .ocr import OCRRequest, OCRResult, PageImage
from .quality import QualityAssessment, QualityEvidence
from .source import SourceView

A = TypeVar("A", covariant=True)  # the answer of the hook
R = TypeVar("R", contravariant=True)  # the request of the hook


# fmt: off
# One line a parameter list: 22 protocols of three lines each are harder to compare.
class Nothing(Protocol[A]):
    def __call__(self) -> A: ...
class Context(Protocol[A]):
    def __call__(self, *, context: HookContext) -> A: ...
class Request(Protocol[R, A]):
    def __call__(self, *, request: R) -> A: ...
class RequestContext(Protocol[R, A]):
    def __call__(self, *, request: R, context: HookContext) -> A: ...
class Source(Protocol[A]):
    def __call__(self, *, source: SourceView) -> A: ...
class SourceContext(Protocol[A]):
    def __call__(self, *, source: SourceView, context: HookContext) -> A: ...
class SourceRequest(Protocol[R, A]):
    def __call__(self, *, source: SourceView, request: R) -> A: ...
class SourceRequestContext(Protocol[R, A]):
    def __call__(self, *, source: SourceView, request: R, context: HookContext) -> A: ...
class Image(Protocol[A]):
    def __call__(self, *, image: PageImage) -> A: ...
class ImageContext(Protocol[A]):
    def __call__(self, *, image: PageImage, context: HookContext) -> A: ...
class ImageRequest(Protocol[R, A]):
    def __call__(self, *, image: PageImage, request: R) -> A: ...
class ImageRequestContext(Protocol[R, A]):
    def __call__(self, *, image: PageImage, request: R, context: HookContext) -> A: ...
class Text(Protocol[A]):
    def __call__(self, *, text: str) -> A: ...
class TextContext(Protocol[A]):
    def __call__(self, *, text: str, context: HookContext) -> A: ...
class TextRequest(Protocol[R, A]):
    def __call__(self, *, text: str, request: R) -> A: ...
class TextRequestContext(Protocol[R, A]):
    def __call__(self, *, text: str, request: R, context: HookContext) -> A: ...
class Converted(Protocol[A]):
    def __call__(self, *, conversion: Conversion) -> A: ...
class ConvertedContext(Protocol[A]):
    def __call__(self, *, conversion: Conversion, context: HookContext) -> A: ...
class ConvertedEvidence(Protocol[A]):
    def __call__(self, *, conversion: Conversion, evidence: QualityEvidence) -> A: ...
class ConvertedEvidenceContext(Protocol[A]):
    def __call__(self, *, conversion: Conversion, evidence: QualityEvidence, context: HookContext) -> A: ...
class Evidence(Protocol[A]):
    def __call__(self, *, evidence: QualityEvidence) -> A: ...
class EvidenceContext(Protocol[A]):
    def __call__(self, *, evidence: QualityEvidence, context: HookContext) -> A: ...
# fmt: on

Verdict = DocumentClassification | None
Observations = tuple[EntityObservation, ...]
Assessment = QualityAssessment | None

Classify = Nothing[Verdict] | Context[Verdict] | Source[Verdict] | SourceContext[Verdict]
Convert = (
    Nothing[Conversion]
    | Context[Conversion]
    | Request[ConvertRequest, Conversion]
    | RequestContext[ConvertRequest, Conversion]
    | Source[Conversion]
    | SourceContext[Conversion]
    | SourceRequest[ConvertRequest, Conversion]
    | SourceRequestContext[ConvertRequest, Conversion]
)
Ocr = (
    Nothing[OCRResult]
    | Context[OCRResult]
    | Request[OCRRequest, OCRResult]
    | RequestContext[OCRRequest, OCRResult]
    | Image[OCRResult]
    | ImageContext[OCRResult]
    | ImageRequest[OCRRequest, OCRResult]
    | ImageRequestContext[OCRRequest, OCRResult]
)
ExtractEntities = (
    Nothing[Observations]
    | Context[Observations]
    | Request[EntityRequest, Observations]
    | RequestContext[EntityRequest, Observations]
    | Text[Observations]
    | TextContext[Observations]
    | TextRequest[EntityRequest, Observations]
    | TextRequestContext[EntityRequest, Observations]
)
ScoreQuality = (
    Nothing[Assessment]
    | Context[Assessment]
    | Evidence[Assessment]
    | EvidenceContext[Assessment]
    | Converted[Assessment]
    | ConvertedContext[Assessment]
    | ConvertedEvidence[Assessment]
    | ConvertedEvidenceContext[Assessment]
)

HookFunction = TypeVar("HookFunction", bound=Classify | Convert | Ocr | ExtractEntities | ScoreQuality)


class HookMarker(Protocol):
    """The type of `hookimpl`: a decorator that returns the function, with or without pluggy's options."""

    @overload
    def __call__(self, function: HookFunction) -> HookFunction: ...

    @overload
    def __call__(
        self,
        function: None = None,
        *,
        optionalhook: bool = False,
        tryfirst: bool = False,
        trylast: bool = False,
        specname: str | None = None,
    ) -> Callable[[HookFunction], HookFunction]: ...
