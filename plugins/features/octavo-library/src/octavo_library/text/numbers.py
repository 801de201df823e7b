"""Parses numbers in documents: returns the one value that the notation allows, or none.

`1,234` is 1234, because English groups digits so; `1.234` is ambiguous, and is refused. `(5.00)` and `5.00-` are negative, as in
accounts.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Final

from octavo_text.normal_forms import normalised

SCALES: Final = {"thousand": 3, "million": 6, "mn": 6, "billion": 9, "bn": 9, "trillion": 12}
"""Scale words after a number → power of ten."""

_CURRENCY: Final = r"(?:[$€£¥₹]|[a-z]{0,3}\$|\b[a-z]{3}\b|rm)?"
_NUMBER: Final = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[-+−])?\s*{_CURRENCY}\s*(?P<inner>[-+−])?(?P<digits>\d[\d.,' ]*)\s*"
    rf"(?P<scale>{'|'.join(SCALES)})?\s*(?:%|{_CURRENCY})\s*(?:(?P<close>\))|(?P<behind>[-−]))?",
    re.IGNORECASE,
)
_GROUPED: Final = re.compile(r"\d{1,3}(?:([ ,.'])\d{3})(?:\1\d{3})*")


def number_reading(text: str) -> Decimal | None:
    """The value of a text that consists of one number, with or without a currency.

    Returns:
        None if the text is not a number or is ambiguous.
    """
    plain = " ".join(normalised("NFKC", text).split())
    found = _NUMBER.fullmatch(plain)
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    digits = _decimal(found["digits"].strip())
    signs = [sign for sign in (found["sign"], found["inner"], found["behind"], found["open"]) if sign]
    if digits is None or len(signs) > 1:
        return None
    if found["scale"]:
        digits = digits.scaleb(SCALES[found["scale"].lower()])
    return -digits if signs and signs[0] != "+" else digits


def _decimal(digits: str) -> Decimal | None:
    marks = [sign for sign in digits if not sign.isdigit()]
    last = marks[-1] if marks else ""
    whole, fraction = digits, ""
    if last in (".", ",") and marks.count(last) == 1:
        head, _, tail = digits.rpartition(last)
        alone = len(marks) == 1
        if alone and len(tail) == 3 and len(head) <= 3 and head != "0":
            if last == ".":
                return None  # ambiguous: 1234 or 1.234
        else:
            whole, fraction = head, tail
    if not whole.isdigit() and not _GROUPED.fullmatch(whole):
        return None
    try:
        return Decimal(re.sub(r"\D", "", whole) + (f".{fraction}" if fraction else ""))
    except InvalidOperation:
        return None
