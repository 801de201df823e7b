"""Make the closed JSON Schemas of the providers' content blocks from the types of their own SDKs (CTX-8).

    uv run --no-project --with anthropic --with openai --with google-genai python make_schemas.py

Writes `schemas/{anthropic,openai,gemini}.json` beside this file, with the SDK's version. The tests read those files and need no
SDK. Closed: every object with named properties takes no others, which the SDKs themselves do not check.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, PydanticOmit

FOLDER = Path(__file__).parent / "schemas"


class WithoutFileHandles(GenerateJsonSchema):
    """Leaves out of a union what no JSON can be, such as an open file."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> Any:
        raise PydanticOmit


def closed(schema: Any) -> Any:
    """The same schema without words for people, in which objects take no property that is not named."""
    if isinstance(schema, dict):
        for word in ("description", "title"):
            if isinstance(schema.get(word), str):
                del schema[word]
        if schema.get("type") == "object" and "properties" in schema:
            schema["additionalProperties"] = False
        for value in list(schema.values()):
            closed(value)
    elif isinstance(schema, list):
        for value in schema:
            closed(value)
    return schema


def blocks() -> dict[str, tuple[str, Any]]:
    """Shape → the SDK, and the type of one content block."""
    from anthropic.types import DocumentBlockParam, ImageBlockParam, TextBlockParam
    from google.genai.types import Part
    from openai.types.responses import ResponseInputFileParam, ResponseInputImageParam, ResponseInputTextParam

    return {
        "anthropic": ("anthropic", TextBlockParam | DocumentBlockParam | ImageBlockParam),
        "openai": ("openai", ResponseInputTextParam | ResponseInputFileParam | ResponseInputImageParam),
        "gemini": ("google-genai", Part),
    }


def main() -> None:
    """Write the schemas."""
    FOLDER.mkdir(exist_ok=True)
    for shape, (sdk, kind) in blocks().items():
        schema = closed(TypeAdapter(kind).json_schema(by_alias=True, schema_generator=WithoutFileHandles))
        schema["$comment"] = f"Made by make_schemas.py from {sdk} {version(sdk)}"
        (FOLDER / f"{shape}.json").write_text(json.dumps(schema, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
