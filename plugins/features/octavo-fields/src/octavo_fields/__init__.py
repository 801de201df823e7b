"""Literal extraction: values that stand in a document, each with its place, or none at all (CNV-13).

    schema = {"type": "object", "properties": {"invoice_date": {"type": "string", "format": "date"}}}
    extract(library, "invoice.pdf", schema).fields["invoice_date"].value

An extractor proposes; `octavo_fields.verifying` holds each value to the text at its span. Only what holds is verified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo._lazy import lazily
from octavo_library.text.dates import one_reading, readings

from .candidates import LiteralTask, Route, literal_route
from .extracting import Extraction, Field, extract_fields
from .schema import FieldSpec, read_schema
from .verifying import Verdict, verify

if TYPE_CHECKING:
    from .document_fields import extract

__all__ = [
    "Extraction",
    "Field",
    "FieldSpec",
    "LiteralTask",
    "Route",
    "Verdict",
    "extract",
    "extract_fields",
    "literal_route",
    "one_reading",
    "read_schema",
    "readings",
    "verify",
]

# What works on a library is imported when it is first used: workers import this package.
__getattr__, __dir__ = lazily(__name__, {"extract": "document_fields"})
