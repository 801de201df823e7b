"""Extracts literal values with NuExtract, a small model that copies values into a template, on a server of the host.

NuExtract runs on vLLM or another server of the OpenAI protocol. It receives the template in addition to the text, as an argument of
its chat template, and answers with the filled template. All values are requested verbatim, so that they have a position. Source of
the formats: https://huggingface.co/numind/NuExtract-2.0-2B

The host creates the `pydantic_ai` model and checks its policy; this module opens no connection. A value that the text does not have,
or has twice, has no position. The caller verifies the value against the position (CNV-13).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from octavo_contracts import ExtractedField, RetryableToolFailure
from pydantic import JsonValue

from .kinds import read
from .llm import CONFIDENCE, ask, check_length, place_of
from .wanted import Wanted, read_wanted

if TYPE_CHECKING:
    from pydantic_ai.models import Model

VERBATIM: Final = "verbatim-string"
"""NuExtract's word for a value that is copied."""

MAX_CHARS: Final = 60_000
"""Longest text passed to the model, whose context is some ten thousand tokens."""


class NuExtractor:
    """Asks a NuExtract server; see `octavo_contracts.LiteralExtractor`.

    Args:
        model: a model of pydantic-ai that speaks the OpenAI protocol, made by the host.
        max_chars: refuse longer texts.
    """

    def __init__(self, model: Model, *, max_chars: int = MAX_CHARS) -> None:
        self._model = model
        self._max_chars = max_chars

    def extract(self, text: str, schema: Mapping[str, JsonValue]) -> Mapping[str, ExtractedField]:
        """Return the values that the model copied, by field name, without empty ones.

        Args:
            text: the canonical text.
            schema: a JSON Schema of an object.

        Raises:
            ContentTooLarge: the text is longer than `max_chars`.
            RetryableToolFailure: the server cannot be reached, or its answer is not the template.
            ToolUnavailable: pydantic-ai is not installed.
        """
        check_length(text, self._max_chars, who="NuExtract")
        kinds = {wanted.name: wanted for wanted in read_wanted(schema)}
        return {
            name: ExtractedField(
                value=_value(copied, kinds.get(name)),
                span=place_of(text, copied),
                method=self._model.model_name,
                confidence=CONFIDENCE,
            )
            for name, copied in self._ask(text, template(schema)).items()
        }

    def _ask(self, text: str, wanted: Mapping[str, str]) -> dict[str, str]:
        arguments = {"chat_template_kwargs": {"template": json.dumps(wanted, ensure_ascii=False)}}
        answer = ask(self._model, text, output_type=str, arguments=arguments)
        return {name: copied for name, copied in self._filled(answer).items() if name in wanted}

    def _filled(self, answer: str) -> dict[str, str]:
        """Return the values of a filled template.

        Raises:
            RetryableToolFailure: the answer is not a filled template.
        """
        try:
            filled: Any = json.loads(answer)
        except ValueError:
            filled = None
        if not isinstance(filled, dict):
            raise RetryableToolFailure(
                f"the model {self._model.model_name} did not answer with the template", plugin="literal"
            )
        return {name: value for name, value in filled.items() if isinstance(value, str) and value.strip()}


def template(schema: Mapping[str, JsonValue]) -> dict[str, str]:
    """Build the template: each field of a schema, verbatim."""
    properties = schema.get("properties")
    return dict.fromkeys(properties if isinstance(properties, dict) else (), VERBATIM)


def _value(copied: str, wanted: Wanted | None) -> str | int | float | None:
    """Parse a copied value, dates and numbers as the other extractors do; None if it can be read in two ways."""
    return copied if wanted is None else read(copied, wanted)
