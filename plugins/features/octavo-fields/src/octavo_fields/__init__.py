"""Literal extraction: values that occur in a document, each with its position (CNV-13).

    schema = {"type": "object", "properties": {"invoice_date": {"type": "string", "format": "date"}}}
    extract(library, "invoice.pdf", schema).fields["invoice_date"].value

An extractor proposes values; `octavo_fields.verifying` compares each with the text at its span and marks it verified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .candidates import LiteralTask, Route, literal_route
    from .document_fields import extract
    from .extracting import Extraction, Field, extract_fields
    from .schema import FieldSpec, read_schema
    from .verifying import FieldCheck, verify

__all__ = [
    "Extraction",
    "Field",
    "FieldCheck",
    "FieldSpec",
    "LiteralTask",
    "Route",
    "extract",
    "extract_fields",
    "literal_route",
    "read_schema",
    "verify",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Extraction": "extracting",
        "Field": "extracting",
        "FieldSpec": "schema",
        "LiteralTask": "candidates",
        "Route": "candidates",
        "FieldCheck": "verifying",
        "extract": "document_fields",
        "extract_fields": "extracting",
        "literal_route": "candidates",
        "read_schema": "schema",
        "verify": "verifying",
    },
)
