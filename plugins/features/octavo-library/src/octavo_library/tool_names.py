"""Names of the shipped plugins in the specification's four enumerations of tools (QLT-4).

Octavo's own results name a plugin by its own name. A program that exchanges records with a system built on the specification's
enumerations translates them by this table. A plugin without a value in an enumeration extends it by its own name; it never
takes the value of another tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SPECIFIED: Mapping[str, tuple[str, ...]] = {
    "conversion_tool": (
        "docling",
        "markitdown",
        "pdfjs",
        "mammoth",
        "ocr_markitdown",
        "ocr_tesseract",
        "ocr_azure",
        "whisper",
    ),
    "extraction_method": ("pdfjs_text", "markitdown", "ocr_markitdown", "ocr_tesseract", "ocr_azure"),
    "ocr_method": ("markitdown_vision", "tesseract_js", "azure_doc_intelligence"),
    "selected_tool": ("docling", "markitdown", "ocr_fallback", "other"),
}
"""Enumeration → its values in the specification. Some belong to tools that Octavo does not use."""


@dataclass(frozen=True, kw_only=True)
class ToolNames:
    """The names of one plugin; None where it never does what the enumeration is about.

    Attributes:
        conversion_tool: tool of a conversion artifact.
        extraction_method: how the text of pages was obtained.
        ocr_method: method of a recognised page.
        selected_tool: tool that a quality report names; `other` for converters without a value of their own.
    """

    conversion_tool: str
    extraction_method: str
    ocr_method: str | None
    selected_tool: str


def _converter(name: str, *, selected: str = "other") -> ToolNames:
    return ToolNames(conversion_tool=name, extraction_method=name, ocr_method=None, selected_tool=selected)


def _recogniser(name: str, *, method: str) -> ToolNames:
    return ToolNames(conversion_tool=name, extraction_method=name, ocr_method=method, selected_tool="ocr_fallback")


TOOL_NAMES: Mapping[str, ToolNames] = {
    "azure": _recogniser("ocr_azure", method="azure_doc_intelligence"),
    "calamine": _converter("calamine"),
    "docling": _converter("docling", selected="docling"),
    "faster-whisper": _converter("faster-whisper"),
    "libreoffice": _converter("libreoffice"),
    "liteparse": _converter("liteparse"),
    "markitdown": _converter("markitdown", selected="markitdown"),
    "pandoc": _converter("pandoc"),
    "pdf-inspector": _converter("pdf-inspector"),
    "pdfium": _converter("pdfium"),
    "pdfminer": _converter("pdfminer"),
    "pillow": _converter("pillow"),
    "plaintext": _converter("plaintext"),
    "pypdf": _converter("pypdf"),
    "rapidocr": _recogniser("ocr_rapidocr", method="rapidocr"),
    # The specification's method is the JavaScript build, which reads pages otherwise than the program.
    "tesseract": _recogniser("ocr_tesseract", method="tesseract"),
    "trafilatura": _converter("trafilatura"),
    "vision": _recogniser("ocr_markitdown", method="markitdown_vision"),
    "whisper": _converter("whisper"),
    "xberg": _converter("xberg"),
}
"""Shipped plugin that converts or recognises → its names."""


def tool_names(plugin: str) -> ToolNames:
    """Return the names of a plugin; a plugin that is not in the table is a converter that extends each enumeration."""
    return TOOL_NAMES.get(plugin) or _converter(plugin)
