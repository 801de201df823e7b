"""Errors, reason codes and exit codes: ENG-7 and its one table."""

from __future__ import annotations

import itertools
import pickle
import re

import octavo_contracts
import pytest
from octavo_contracts import (
    PRECEDENCE,
    REASONS,
    ConverterCrashed,
    DegradedFlag,
    ErrorRecord,
    ExitCode,
    HardFailReason,
    OctavoError,
    Retry,
    RetryableToolFailure,
    SourceCorrupt,
    ToolUnavailable,
    UnsupportedFormat,
    UsageError,
    errors,
    strongest,
)

# ENG-7 written out by hand: code, error class, exit code, whether a new job starts by itself.
TABLE = """
conversion_timeout                 ConversionTimeout       3  manual
ocr_failed                         OcrFailed               3  manual
unsupported_format                 UnsupportedFormat       3  manual
auth_unavailable                   AuthUnavailable         6  automatic
storage_exhausted                  StorageExhausted        3  manual
tool_unavailable                   ToolUnavailable         6  automatic
schema_validation_failed           SchemaValidationFailed  3  manual
source_anchor_missing              SourceAnchorMissing     3  manual
content_too_large                  ContentTooLarge         3  manual
duplicate_with_different_metadata  DuplicateMetadata       3  manual
doc25_contract_violation           ContractViolation       3  manual
source_empty                       SourceEmpty             3  never
source_corrupt                     SourceCorrupt           3  never
source_encrypted                   SourceEncrypted         3  manual
source_changed                     SourceChanged           3  manual
source_missing                     SourceMissing           3  manual
converter_crashed                  ConverterCrashed        3  manual
memory_exceeded                    MemoryExceeded          3  manual
policy_refused                     PolicyRefused           5  manual
library_damaged                    LibraryDamaged          3  manual
not_attempted                      NotAttempted            3  manual
"""


def all_errors(base: type[OctavoError] = OctavoError) -> list[type[OctavoError]]:
    """The error classes of the contracts, the base first."""
    found = [base]
    for error in base.__subclasses__():
        if error.__module__ == errors.__name__:
            found += all_errors(error)
    return found


def test_the_reason_table_is_exactly_the_one_of_eng_7() -> None:
    """Each code once, with its class, its exit code and its retry."""
    rows = {str(code): (row.error.__name__, int(row.exit_code), str(row.retry)) for code, row in REASONS.items()}
    expected = {
        code: (error, int(exit_code), retry)
        for code, error, exit_code, retry in (line.split() for line in TABLE.strip().splitlines())
    }
    assert rows == expected
    assert set(REASONS) == set(HardFailReason)


def test_a_reason_leads_to_a_class_of_that_reason() -> None:
    """The table and the classes do not contradict each other, and no two rows share a class."""
    for code, row in REASONS.items():
        assert row.error.reason is code
        assert row.error.exit_code is row.exit_code
        assert row.error.retry is row.retry
    assert len({row.error for row in REASONS.values()}) == len(REASONS)


def test_the_table_can_not_be_changed() -> None:
    """It is one for every command and plugin."""
    with pytest.raises(TypeError):
        REASONS[HardFailReason.OCR_FAILED] = REASONS[HardFailReason.SOURCE_EMPTY]  # type: ignore[index]  # what is tested


def test_a_worker_death_is_a_crash_that_is_tried_again() -> None:
    """ENG-7: the first death of a worker is counted, it is not yet a verdict on the document."""
    assert issubclass(RetryableToolFailure, ConverterCrashed)
    assert RetryableToolFailure.retry is Retry.AUTOMATIC
    assert RetryableToolFailure.reason is HardFailReason.CONVERTER_CRASHED


@pytest.mark.parametrize("error", all_errors(), ids=lambda error: error.__name__)
def test_an_error_record_round_trips(error: type[OctavoError]) -> None:
    """An error crosses a process boundary as JSON and is raised again as itself."""
    raised = error("line 3 is torn 🌊", source="tide.csv", plugin="plaintext", page=2, remedy="Mend it")
    record = ErrorRecord.of(raised)
    again = ErrorRecord.read(record.to_json()).to_error()
    assert type(again) is error
    assert vars(again) == vars(raised)
    assert str(again) == str(raised)
    assert again.args == raised.args
    assert ErrorRecord.of(again) == record
    assert record.reason is error.reason


@pytest.mark.parametrize("error", all_errors(), ids=lambda error: error.__name__)
def test_an_error_survives_pickling(error: type[OctavoError]) -> None:
    """A host may carry errors through its own process pools."""
    raised = error("torn", source="tide.csv", page=2)
    again = pickle.loads(pickle.dumps(raised))
    assert type(again) is error
    assert vars(again) == vars(raised)


@pytest.mark.parametrize("error", all_errors(), ids=lambda error: error.__name__)
def test_an_error_is_public_and_drawn_in_the_tree(error: type[OctavoError]) -> None:
    """The docstring of the module shows each class once, under its parent, with its reason code."""
    assert getattr(octavo_contracts, error.__name__) is error
    lines = [line for line in (errors.__doc__ or "").splitlines() if re.search(rf"\b{error.__name__}\b", line)]
    drawn = [line for line in lines if line.lstrip(" │├└─").startswith(error.__name__)]
    assert len(drawn) == 1
    if error.reason is not None and error is not RetryableToolFailure:
        assert error.reason in drawn[0]


def test_an_unknown_error_class_is_read_by_its_reason() -> None:
    """A plugin's own subclass becomes the class of its reason where the plugin is not installed."""
    record = ErrorRecord(error="TornPage", reason=HardFailReason.SOURCE_CORRUPT, message="torn", remedy="Mend it")
    assert type(record.to_error()) is SourceCorrupt
    assert type(ErrorRecord(error="Unheard", message="of").to_error()) is OctavoError


def test_a_subclass_of_a_plugin_comes_back_as_itself() -> None:
    """Where the class is known, its name wins over its reason."""

    class TornPage(SourceCorrupt):
        """A page is torn."""

    assert type(ErrorRecord.of(TornPage("torn")).to_error()) is TornPage


def test_a_message_says_where_what_and_what_next() -> None:
    """Style rule 5: source, page, plugin, the fault, the remedy."""
    error = SourceCorrupt("the table ends early", source="a.pdf", plugin="pdfium", page=3)
    assert str(error) == (
        "a.pdf, page 3, plugin pdfium: the table ends early. "
        "Open the file in its own program and save it again, or fetch it again"
    )
    assert str(UsageError("no plugin 'x'")) == "no plugin 'x'"
    assert str(ToolUnavailable("no tesseract", remedy="")) == "no tesseract"


def test_located_fills_in_only_what_the_raiser_did_not_know() -> None:
    """The dispatcher adds the source and the plugin to an error on its way."""
    error = UnsupportedFormat("it is a film", source="inner.mov")
    assert error.located(source="outer.zip", plugin="markitdown") is error
    assert (error.source, error.plugin) == ("inner.mov", "markitdown")


def test_a_document_error_tells_the_user_what_to_do() -> None:
    """Every failure that a document can meet by itself has a remedy of its own."""
    without = {error.__name__ for error in all_errors() if error.reason is not None and not error.default_remedy}
    # These five are raised with a remedy that only the raiser knows: which credentials, policy, schema or anchor.
    assert without == {
        "AuthUnavailable",
        "OcrFailed",
        "PolicyRefused",
        "SchemaValidationFailed",
        "SourceAnchorMissing",
    }


def test_exit_codes_are_the_published_ones() -> None:
    """Scripts depend on the numbers."""
    assert {code.name: int(code) for code in ExitCode} == {
        "OK": 0,
        "INTERNAL": 1,
        "USAGE": 2,
        "HARD_FAILURES": 3,
        "DEGRADED": 4,
        "POLICY_REFUSED": 5,
        "TOOL_UNAVAILABLE": 6,
        "INTERRUPTED": 130,
    }


def test_the_strongest_exit_code_wins() -> None:
    """130 > 1 > 2 > 3 > 5 > 6 > 4 > 0, for every set of codes."""
    order = [130, 1, 2, 3, 5, 6, 4, 0]
    assert list(map(int, PRECEDENCE)) == order
    for size in range(1, len(order) + 1):
        for codes in itertools.combinations(order, size):
            assert strongest(map(ExitCode, reversed(codes))) == codes[0]
    assert strongest([]) is ExitCode.OK


def test_codes_and_flags_are_wire_names() -> None:
    """Lower-case words joined by underscores, so that they fit a JSON Schema pattern and a command line."""
    for name in (*HardFailReason, *DegradedFlag):
        assert re.fullmatch(r"[a-z][a-z0-9_]*", name)
    assert set(Retry) == {"automatic", "manual", "never"}
