"""Generates and loads the published JSON Schemas.

Readers may meet unknown properties (ENG-19), so the published schemas allow them. `DigestPayload` is draft-07,
the others are draft 2020-12.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from .._model import Model
from ..classification import DocumentClassification
from ..conversion import Conversion
from ..digest import DigestPayload
from ..entities import EntityObservation
from ..ingestion import IngestionResult
from ..manifest import PluginManifest
from ..ocr import OCRResult
from ..quality import IngestionQualityReport, QualityAssessment

SCHEMA_MODELS: dict[str, type[Model]] = {
    "conversion": Conversion,
    "digest_payload": DigestPayload,
    "document_classification": DocumentClassification,
    "entity_observation": EntityObservation,
    "ingestion_quality_report": IngestionQualityReport,
    "ingestion_result": IngestionResult,
    "ocr_result": OCRResult,
    "plugin_manifest": PluginManifest,
    "quality_assessment": QualityAssessment,
}
"""Name of the schema file → the model it describes."""


def generate_schema(name: str) -> dict[str, Any]:
    """Generate the schema of a model in its serialised form.

    Raises:
        KeyError: no such schema.
    """
    model = SCHEMA_MODELS[name]
    if model is DigestPayload:
        schema = model.model_json_schema(mode="serialization", ref_template="#/definitions/{model}")
        schema["definitions"] = schema.pop("$defs", {})
        # A payload without version or content type is invalid (DIG-1), although code that builds one may omit them.
        schema["required"] = list(model.model_fields)
        dialect = "http://json-schema.org/draft-07/schema#"
    else:
        schema = model.model_json_schema(mode="serialization")
        dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, "$id": f"urn:octavo:schema:v1:{name}", **_tolerant(schema)}


def load_schema(name: str) -> dict[str, Any]:
    """Load a committed schema.

    Raises:
        FileNotFoundError: no such schema.
    """
    text = resources.files(__package__).joinpath("v1", f"{name}.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def render_schema(name: str) -> str:
    """Return the text of the committed file."""
    return json.dumps(generate_schema(name), indent=2, ensure_ascii=False) + "\n"


def _tolerant(node: Any) -> Any:
    """Drop `additionalProperties: false`: the models keep writers strict, but readers must be tolerant."""
    if isinstance(node, dict):
        return {
            key: _tolerant(value)
            for key, value in node.items()
            if not (key == "additionalProperties" and value is False)
        }
    if isinstance(node, list):
        return [_tolerant(item) for item in node]
    return node
