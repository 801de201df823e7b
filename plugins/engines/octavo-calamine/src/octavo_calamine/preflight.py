"""Examines a workbook before the engine reads it: by its bytes, not by its declared type, as the engine does."""

from __future__ import annotations

import io

from octavo_contracts import SourceCorrupt

from .compound_file import MAGIC
from .extent import refuse_giants
from .facts import WorkbookFacts
from .ods_content import CONTENT_PART, read_ods_facts
from .package import Package
from .xls_records import read_xls_facts
from .xlsb_parts import WORKBOOK_PART as XLSB_WORKBOOK
from .xlsb_parts import read_xlsb_facts
from .xlsx_parts import WORKBOOK_PART as XLSX_WORKBOOK
from .xlsx_parts import read_xlsx_facts


def examine(data: bytes) -> WorkbookFacts:
    """Find facts that the engine does not report, and refuse files that would crash it.

    Args:
        data: the file's bytes.

    Raises:
        SourceCorrupt: no workbook, or one whose parts do not add up.
        SourceEncrypted: it wants a password.
        ContentTooLarge: a container or a sheet beyond the limits.
    """
    facts = read_xls_facts(data) if data.startswith(MAGIC) else _examine_container(data)
    refuse_giants(facts.extents)
    return facts


def _examine_container(data: bytes) -> WorkbookFacts:
    if not data.startswith(b"PK"):
        raise SourceCorrupt("the bytes are neither a zip container nor a compound file, so no workbook")
    package = Package(io.BytesIO(data))
    readers = {XLSX_WORKBOOK: read_xlsx_facts, XLSB_WORKBOOK: read_xlsb_facts, CONTENT_PART: read_ods_facts}
    present = [part for part in readers if part in package]
    if len(present) != 1:
        # Two would let the engine read the one that was not examined.
        raise SourceCorrupt(f"the container holds {len(present)} workbook parts where calamine looks for one")
    return readers[present[0]](package)
