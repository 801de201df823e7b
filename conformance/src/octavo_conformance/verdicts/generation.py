"""Generates the language-neutral vectors from the contracts: the verdicts are those of the suite's own checks."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from octavo_contracts import Locator, LocatorError, page_separator, page_spans, resolve_locator

from ..checks import REGISTRY
from ..documents import check_document
from ..evidence import DigestEvidence, ResultEvidence, sha256_of
from ..mutants import ALL_MUTANTS, DocumentMutant
from ..mutants.documents import good_digest
from ..mutants.matrix import good_result

EvidenceT = TypeVar("EvidenceT", ResultEvidence, DigestEvidence)

RESULT_CODES = (
    "OC-PAGE-101", "OC-PAGE-103", "OC-PAGE-104", "OC-SCHEMA-101", "OC-SCHEMA-109", "OC-SCHEMA-110", "OC-SCHEMA-111",
    "OC-SPAN-101", "OC-SPAN-103", "OC-SPAN-104", "OC-SPAN-105", "OC-SPAN-107",
)  # fmt: skip
"""Checks of results that need the contract alone: no table of formats, no Unicode data."""

DIGEST_CODES = (
    "OC-DIG-001", "OC-DIG-002", "OC-DIG-003", "OC-DIG-004", "OC-DIG-005", "OC-DIG-006", "OC-DIG-007", "OC-DIG-009",
    "OC-DIG-010",
)  # fmt: skip
"""Checks of digests that need the contract alone."""

MALFORMED, OUTSIDE = "OC-DIG-003", "OC-DIG-005"

TEXT = f"Zoë 🚀 naïve{page_separator(2)}{page_separator(3)}漢字 👩\u200d👩\u200d👧 e\u0301nd"
"""Three pages; the second is empty. Only code points give the offsets of all of its characters."""

LOCATORS = {
    "whole text": "char:0-56", "first word": "char:0-3", "behind an astral character": "char:6-11",
    "one astral character": "char:4-5", "empty slice": "char:3-3", "page one": "page:1:char:0-11",
    "empty page": "page:2:char:0-0", "joined emoji": "page:3:char:3-8", "combining mark": "page:3:char:9-13",
    "end in UTF-16 units": "page:1:char:0-12", "end in UTF-16 units of the last page": "page:3:char:0-16",
    "past the text": "char:0-57", "past its page": "page:2:char:0-1", "page that is missing": "page:4:char:0-0",
    "page zero": "page:0:char:0-1", "reversed": "char:5-4", "leading zero": "char:01-3", "sign": "char:+1-3",
    "white space": "char:0-3 ", "line feed": "char:0-3\n", "other digits": "char:٠-٣", "no end": "char:3", "empty": "",
    "capital letters": "CHAR:0-3", "page without offsets": "page:1", "nineteen digits": "char:0-1000000000000000000",
}  # fmt: skip

TEXTS = {
    "empty": "", "one page": "Quay 🚀", "two pages": f"a{page_separator(2)}b", "empty pages": page_separator(2),
    "out of order": f"a{page_separator(3)}b{page_separator(2)}c", "repeated": f"a{page_separator(2)}b{page_separator(2)}c",
    "number with a leading zero": "a\n\n---PAGE 02---\n\nb", "one line break": "a\n---PAGE 2---\nb",
    "three pages": TEXT,
}  # fmt: skip


def generate() -> dict[str, str]:
    """Return the text of every file by name."""
    files = {
        "locators.json": ((MALFORMED, OUTSIDE), [_locator(*case) for case in LOCATORS.items()]),
        "pages.json": ((), [_pages(*case) for case in TEXTS.items()]),
        "results.json": (RESULT_CODES, list(_results())),
        "digests.json": (DIGEST_CODES, list(_digests())),
    }
    return {
        name: json.dumps({"codes": _rules(codes), "vectors": vectors}, indent=1, ensure_ascii=False) + "\n"
        for name, (codes, vectors) in files.items()
    }


def _rules(codes: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    return {
        code: {
            "rule": REGISTRY[code].rule,
            "requires": [other for other in codes if other in _required(code)],
        }
        for code in codes
    }


def _required(code: str) -> set[str]:
    """Return the checks that a check requires, directly or not: some of those between are not among the codes."""
    direct = REGISTRY[code].requires
    return set(direct).union(*map(_required, direct))


def _locator(name: str, locator: str) -> dict[str, Any]:
    vector: dict[str, Any] = {"name": name, "text": TEXT, "locator": locator, "valid": False}
    try:
        Locator.parse(locator)
    except LocatorError:
        return vector | {"codes": [MALFORMED]}
    try:
        return vector | {"valid": True, "codes": [], "slice": resolve_locator(TEXT, locator)}
    except LocatorError:
        return vector | {"codes": [OUTSIDE]}


def _pages(name: str, text: str) -> dict[str, Any]:
    spans = page_spans(text)
    return {
        "name": name,
        "text": text,
        "pages": [[span.start, span.end] for span in spans],
        "hashes": [sha256_of(span.of(text)) for span in spans],
    }


def _codes(evidence: ResultEvidence | DigestEvidence, known: tuple[str, ...]) -> list[str]:
    failed = sorted(one.check.id for one in check_document(evidence) if one.status == "failed")
    if strange := set(failed).difference(known):
        raise ValueError(f"a vector fails {', '.join(sorted(strange))}, which no checker of vectors knows")
    return failed


def _spoilt(data: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    data = copy.deepcopy(data)
    change(data)
    return data


def _spoilt_by_mutants(good: EvidenceT, codes: Sequence[str]) -> dict[str, EvidenceT]:
    """Return what each mutant makes of the evidence, by the mutant's name without its prefix."""
    cases = {}
    for mutant in ALL_MUTANTS:
        if isinstance(mutant, DocumentMutant) and mutant.target in codes:
            spoilt = mutant.spoil(good)  # type: ignore[arg-type]  # its target is a check of this kind of evidence
            assert isinstance(spoilt, type(good))
            cases[mutant.name.removeprefix("mutant-")] = spoilt
    return cases


def _results() -> Iterator[dict[str, Any]]:
    good = good_result()
    bare = replace(good, canonical=None, markdown=None)
    cases = {"good": good, "good without its texts": bare}
    cases["good without hashes"] = replace(good, data=_spoilt(good.data, _without_hashes))
    cases["good with a flag that no reader knows"] = replace(good, data=_spoilt(good.data, _with_new_flag))
    cases["anchors in UTF-16 units"] = replace(good, data=_spoilt(good.data, _wider_anchor))
    cases["last chunk in UTF-16 units"] = replace(good, data=_spoilt(good.data, _wider_chunk))
    cases |= _spoilt_by_mutants(good, RESULT_CODES)
    for name, case in cases.items():
        codes = _codes(case, RESULT_CODES)
        yield {
            "name": name,
            "document": case.data,
            "canonical": case.canonical,
            "markdown": case.markdown,
            "valid": not codes,
            "codes": codes,
        }


def _without_hashes(data: dict[str, Any]) -> None:
    hashes = data["content_hashes"]
    hashes.update(raw_file_hash=None, normalized_text_hash=None, page_hashes=[], chunk_hashes=[])


def _with_new_flag(data: dict[str, Any]) -> None:
    data["quality_report"]["findings"][0]["flag"] = "a_flag_of_a_later_version"
    data["quality_report"]["degraded_flags"] = ["a_flag_of_a_later_version"]


def _wider_anchor(data: dict[str, Any]) -> None:
    data["page_anchor_map"][-1]["text_end"] += 4  # the astral characters of the page


def _wider_chunk(data: dict[str, Any]) -> None:
    data["chunk_manifest"][-1]["span"]["end"] += 4


def _digests() -> Iterator[dict[str, Any]]:
    good = good_digest()
    cases = {"good": good, "good without its text": replace(good, archive=None, searched=None)}
    cases["snippet behind an astral character in UTF-16 units"] = replace(good, data=_spoilt(good.data, _utf16_locator))
    cases |= _spoilt_by_mutants(good, DIGEST_CODES)
    for name, case in cases.items():
        codes = _codes(case, DIGEST_CODES)
        yield {
            "name": name,
            "document": case.data,
            "archive": case.archive,
            "searched": bool(case.searched),
            "valid": not codes,
            "codes": codes,
        }


def _utf16_locator(data: dict[str, Any]) -> None:
    data["evidence_snippets"][1]["locator"] = "page:1:char:137-196"
