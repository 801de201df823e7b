"""The interface of a plugin: the `hookimpl` marker and a typed protocol for each hook.

A plugin's module defines plain functions marked with `hookimpl`; each needs to declare only the parameters that it uses.

    from octavo_contracts import Conversion, Page, hookimpl

    @hookimpl
    def convert(source, request, context):
        return Conversion(pages=(Page(number=1, kind="whole", markdown=source.read_bytes().decode()),), paginated=False)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import pluggy

if TYPE_CHECKING:
    from ._hook_signatures import HookMarker
    from .classification import DocumentClassification
    from .conversion import Conversion, ConvertRequest
    from .entities import EntityObservation, EntityRequest
    from .hook_context import HookContext
    from .ocr import OCRRequest, OCRResult, PageImage
    from .quality import QualityAssessment, QualityEvidence
    from .source import SourceView

PROJECT_NAME = "octavo"
"""Entry-point group of hook plugins, and pluggy's project name."""

FEATURES_GROUP = "octavo.features"
"""Entry-point group of features: packages whose manifests offer services."""

COMMANDS_GROUP = "octavo.commands"
"""Entry-point group of commands: name of a command of `octavo` → the click command."""

COMMAND_HELP_GROUP = "octavo.command_help"
"""Entry-point group of help sections: title of a section in the list of commands → mapping of commands to help lines."""

hookimpl = cast("HookMarker", pluggy.HookimplMarker(PROJECT_NAME))
"""Decorator: marks a function as the implementation of the hook with its name.

A type checker reports a parameter that no hook has, and an answer that is not the hook's.
"""


class Classifies(Protocol):
    """A plugin with the hook `classify`."""

    def classify(self, source: SourceView, context: HookContext) -> DocumentClassification | None:
        """Classify the document; return None to leave it to other plugins."""


class Converts(Protocol):
    """A plugin with the hook `convert`."""

    def convert(self, source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
        """Convert the document, or raise a typed error of `octavo_contracts.errors`."""


class Recognises(Protocol):
    """A plugin with the hook `ocr`."""

    def ocr(self, image: PageImage, request: OCRRequest, context: HookContext) -> OCRResult:
        """Recognise one page."""


class ExtractsEntities(Protocol):
    """A plugin with the hook `extract_entities`."""

    def extract_entities(
        self, text: str, request: EntityRequest, context: HookContext
    ) -> tuple[EntityObservation, ...]:
        """Find mentions of entities in a canonical text; spans count its code points."""


class ScoresQuality(Protocol):
    """A plugin with the hook `score_quality`."""

    def score_quality(
        self, conversion: Conversion, evidence: QualityEvidence, context: HookContext
    ) -> QualityAssessment | None:
        """Score a conversion; return None to leave it to other plugins."""
