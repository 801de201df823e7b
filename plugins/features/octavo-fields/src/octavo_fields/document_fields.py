"""Extracts literal values from documents of a library, with plugins in their sandbox."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from octavo.conversion.empty_text import is_empty, why_empty
from octavo.conversion.report_text import failure_error
from octavo.plugins import PluginInfo
from octavo.plugins.dispatcher import lane_of
from octavo.runtime import Runtime
from octavo.settings.step_names import StepName
from octavo_contracts import (
    ContractViolation,
    ExtractedField,
    IngestionQualityReport,
    OctavoError,
    QualityFinding,
    Span,
    ToolUnavailable,
    UsageError,
)
from octavo_library.entities.field_runs import keep_field_run
from octavo_library.facade.document import Document
from octavo_library.facade.library import Library
from octavo_library.ingestion.cloud_owners import owners_of_document
from octavo_library.storage.version_files import REPORT, version_refs
from octavo_sandbox.task import task_name
from octavo_text.markdown import plain_text
from pydantic import BaseModel, JsonValue, ValidationError

from . import worker
from .doubtful_values import with_doubts
from .extracting import Extraction, Extractor, Field, extract_fields
from .line_values import METHOD, LineExtractor, is_of_line
from .schema import read_schema, schema_of

if TYPE_CHECKING:
    from .model_server import ModelSettings

SERVICE = "literal_extractor"
EXTRACT = task_name(worker.extract)


class PluginExtractor:
    """A plugin's literal extractor, called in its sandbox.

    Args:
        runtime: plugins and workers.
        plugin: the plugin.
    """

    def __init__(self, runtime: Runtime, plugin: PluginInfo) -> None:
        self._runtime = runtime
        self._plugin = plugin
        self.reasons: dict[str, str] = {}
        """Why fields with a pattern got no value in the last call."""

    def extract(self, text: str, schema: Mapping[str, JsonValue]) -> Mapping[str, ExtractedField]:
        """See `octavo_contracts.LiteralExtractor`.

        Raises:
            ToolUnavailable: the extractor's engine is missing.
            OctavoError: any other error of the extractor or the sandbox.
        """
        name = self._plugin.name
        if lacking := self._plugin.missing():
            raise ToolUnavailable(lacking, plugin=name)
        factory = self._plugin.manifest.services[SERVICE]
        task = {"plugin": name, "factory": factory, "text": text, "schema": schema}
        try:
            reply = self._runtime.pool.run(
                EXTRACT, json.dumps(task).encode(), limits=self._runtime.settings.limits, lane=lane_of(self._plugin)
            )
        except OctavoError as error:
            raise error.located(plugin=name) from error
        try:
            answer = json.loads(reply.payload)
            self.reasons = {key: str(why) for key, why in answer["reasons"].items()}
            return {key: _field(value) for key, value in answer["fields"].items()}
        except (ValidationError, TypeError, ValueError, KeyError, AttributeError) as error:
            wrong = type(error).__name__  # the message quotes the answer
            raise ContractViolation(f"the extractor's answer is malformed: {wrong}", plugin=name) from None


def _explained(found: Extraction, why: QualityFinding | None) -> Extraction:
    """Add the reason to each field of an extraction from a document without text."""
    said = f"the document has no text: {why.message} [{why.flag}]" if why is not None else "the document has no text"
    fields = {name: one if one.verified else replace(one, why=said) for name, one in found.fields.items()}
    return replace(found, fields=fields)


def _field(value: Mapping[str, JsonValue]) -> ExtractedField:
    span = value["span"]
    return ExtractedField(
        value=value["value"],
        span=Span(start=span[0], end=span[1]) if isinstance(span, list) else None,  # type: ignore[arg-type]  # Span is strict
        method=str(value["method"]),
        confidence=float(value["confidence"]),  # type: ignore[arg-type]  # a ValueError of ours where it is none
    )


def extract(
    library: Library,
    document: str | Document,
    schema: Mapping[str, JsonValue] | type[BaseModel],
    *,
    engine: str | None = None,
    then: Sequence[Extractor] = (),
    model: ModelSettings | None = None,
) -> Extraction:
    """Extract the fields of a schema from a document's active version; see `octavo_fields.extract_fields`.

    Args:
        library: the library of the document.
        document: the document, or an argument for `Library.document`.
        schema: a JSON Schema, or a pydantic model; see `octavo_fields.schema`.
        engine: the plugin with a literal extractor; None: every installed one, by priority.
        then: extractors for the remaining fields, for example a language model of the host.
        model: a model at a server, which is asked for the fields that the plugins leave open. If the server is on another
            machine, every corpus of the document must allow cloud services (CNV-15).

    The run is stored with the version that it read, and values that failed their verification become notes of the
    quality report, unless the library is opened read-only.

    Raises:
        UsageError: unknown document or plugin, the document has no text, or the schema cannot be read.
        ToolUnavailable: no plugin is available.
        OctavoError: any other error of an extractor.
    """
    context = library.context
    document_id = context.index.documents.resolve(document) if isinstance(document, str) else document.id
    record = context.index.documents.get(document_id)
    if record.active_version is None:
        source = document if isinstance(document, str) else document.title or document_id
        failed = failure_error(library.document(document_id).result, source)
        why = f": {failed.message}" if failed else ""
        mend = f"{failed.remedy.rstrip('.')}. Then run `octavo retry`" if failed and failed.remedy else None
        raise UsageError(
            f"the document was not converted and has no text to extract from{why}", source=source, remedy=mend
        )
    folder = version_refs(record.raw_hash, record.active_version, original="").conversion
    text = context.artifacts.read(f"{folder}/canonical.txt").decode()
    others = [*([_model_extractor(library, document_id, model)] if model is not None else ()), *then]
    wanted = schema_of(schema)
    literal = _literal_extractors(context.runtime, engine, optional=bool(others))
    pages = [plain_text(page.markdown).splitlines() for page in library.document(document_id).pages]
    if engine is None and any(is_of_line(spec) for spec in read_schema(wanted)):
        literal.append(Extractor(name=METHOD, ask=LineExtractor(pages)))
    report = IngestionQualityReport.read(context.artifacts.read(f"{folder}/{REPORT}"))
    found = extract_fields(text, wanted, [*literal, *others], pages=pages)
    found = replace(found, fields=with_doubts(text, found.fields, report.findings))
    if context.read_only is None:
        keep_field_run(
            context.artifacts,
            record.raw_hash,
            record.active_version,
            schema=wanted,
            fields={name: _stored(field) for name, field in found.fields.items()},
            failures=found.failures,
        )
    if not is_empty(text):
        return found
    return _explained(found, why_empty(report, text))


def _model_extractor(library: Library, document_id: str, settings: ModelSettings) -> Extractor:
    from .model_server import ServerExtractor  # imported here: it loads an HTTP client that patterns do not need

    context = library.context
    place = context.engine.pools[StepName.MODEL].slot
    owners = owners_of_document(context.index, context.events, document_id, surface="fields")
    return Extractor(name=settings.model, ask=ServerExtractor(settings, owners=owners, place=place), interprets=True)


def _stored(field: Field) -> dict[str, Any]:
    return {
        "value": field.value,
        "span": [field.span.start, field.span.end] if field.span is not None else None,
        "verified": field.verified,
        "method": field.method,
        "confidence": field.confidence,
        "why": field.why,
    }


def _literal_extractors(runtime: Runtime, engine: str | None, *, optional: bool) -> list[Extractor]:
    plugins = [runtime.catalogue.get(engine)] if engine is not None else list(runtime.catalogue)
    having = [plugin for plugin in plugins if SERVICE in plugin.manifest.services]
    if engine is not None and not having:
        raise UsageError(f"plugin {engine!r} does not extract literal values")
    ready = having if engine is not None else [plugin for plugin in having if plugin.missing() is None]
    if not ready and not optional:
        raise ToolUnavailable("no installed plugin extracts literal values", remedy="Run: pip install octavo-literal")
    return [Extractor(name=plugin.name, ask=PluginExtractor(runtime, plugin)) for plugin in ready]
