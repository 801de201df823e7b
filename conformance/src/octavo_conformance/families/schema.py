"""OC-SCHEMA for the hook `convert`: its answer matches the contract."""

from __future__ import annotations

import hashlib

from octavo_contracts import Capability, ContractViolation

from ..checks import Broken, check, expect_equal, expect_none
from ..evidence import describe
from ..subject import Subject
from ..vectors import GoldenVector


@check("OC-SCHEMA-001", scope="golden", level=1, spec=("ENG-19",), requires=("OC-LOAD-004",), hook="convert")
def answer_is_a_conversion(subject: Subject, vector: GoldenVector) -> None:
    """`convert` returns a Conversion that the host accepts: pages 1..n, or one `whole` page if there are none.

    Fix:
    Return octavo_contracts.Conversion, built with its constructor and never with `model_construct`.
    Number the pages from 1 without gaps; for a document without pages return one page of kind `whole`.
    """
    seen = subject.convert(vector)
    if isinstance(seen.error, ContractViolation):
        raise Broken("the host refuses the answer", expected="a Conversion", actual=describe(seen.error))
    if seen.answer is not None:
        seen.conversion()


@check("OC-SCHEMA-002", scope="golden", level=1, spec=("CNV-5",), requires=("OC-SCHEMA-001",), hook="convert")
def declared_types_convert(subject: Subject, vector: GoldenVector) -> None:
    """An intact document of a declared media type converts.

    Fix:
    Open the vector with the engine alone and look at its messages.
    Remove the media type from the manifest if the engine does not read it.
    """
    seen = subject.convert(vector)
    if seen.error is not None:
        raise Broken("a valid document is refused", expected="a Conversion", actual=describe(seen.error))


@check("OC-SCHEMA-003", scope="golden", level=1, spec=("ENG-19",), requires=("OC-SCHEMA-002",), hook="convert")
def answer_survives_json(subject: Subject, vector: GoldenVector) -> None:
    """A round trip through JSON does not change the Conversion.

    Fix:
    Put only JSON values into `fields` and `extensions`: no NaN, no infinity, no tuple.
    """
    facts = subject.convert(vector).facts
    expect_equal(facts.round_trip if facts else None, None, "the JSON form loses data")


@check("OC-SCHEMA-004", scope="golden", level=1, spec=("QLT-2",), requires=("OC-SCHEMA-002",), hook="convert")
def warnings_point_at_pages(subject: Subject, vector: GoldenVector) -> None:
    """A warning names an existing page, or none.

    Fix:
    Count pages from 1 in ConversionWarning.page, as in Page.number.
    """
    conversion = subject.convert(vector).conversion()
    count = len(conversion.pages)
    lost = [warning.page for warning in conversion.warnings if warning.page is not None and warning.page > count]
    expect_none(lost, "warnings name pages that do not exist", expected=f"pages 1..{count}")


@check("OC-SCHEMA-005", scope="golden", level=1, spec=("STO-1",), requires=("OC-SCHEMA-002",), hook="convert")
def attachments_are_what_they_say(subject: Subject, vector: GoldenVector) -> None:
    """Size and hash of an attachment are those of its bytes.

    Fix:
    Compute `sha256` and `size` from the decoded bytes in `data`.
    """
    for item in subject.convert(vector).conversion().attachments:
        if item.data is not None:
            actual = (hashlib.sha256(item.data).hexdigest(), len(item.data))
            expect_equal((item.sha256, item.size), actual, f"hash and size of attachment {item.name!r}")


_UNDECLARED = {
    Capability.TABLES: lambda page: page.tables,
    Capability.BOXES: lambda page: page.boxes,
    Capability.HIDDEN_TEXT: lambda page: page.hidden_text,
}


@check("OC-SCHEMA-006", scope="golden", level=1, spec=("CNV-16",), requires=("OC-SCHEMA-002",), hook="convert")
def nothing_undeclared_is_returned(subject: Subject, vector: GoldenVector) -> None:
    """Tables, boxes, hidden text and attachments come only from a plugin that declares them.

    Fix:
    Add the capability to the manifest: routing and hosts use it to choose plugins.
    """
    conversion = subject.convert(vector).conversion()
    declared = subject.manifest.capabilities
    found = [name.value for name, of in _UNDECLARED.items() if name not in declared and any(map(of, conversion.pages))]
    if conversion.attachments and Capability.ATTACHMENTS not in declared:
        found.append(Capability.ATTACHMENTS.value)
    expect_none(found, "undeclared capabilities are used", expected=f"only {', '.join(sorted(declared)) or 'text'}")
