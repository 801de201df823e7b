"""Decodes the headers of a message, including malformed ones."""

from __future__ import annotations

import email.utils
import re
from email.message import Message
from email.policy import EmailPolicy

from octavo_contracts import ConversionWarning, DegradedFlag

Headers = dict[str, str]
"""Header by our name for it: subject, from, to, cc, bcc, reply_to, date (ISO 8601), message_id, in_reply_to."""

_NAMES = {
    "subject": "Subject",
    "from": "From",
    "to": "To",
    "cc": "Cc",
    "bcc": "Bcc",
    "reply_to": "Reply-To",
    "message_id": "Message-ID",
    "in_reply_to": "In-Reply-To",
    "list_id": "List-Id",
}
MAX_CHARS = 20_000
"""Longest header kept, in characters; a giant one is cut, with a warning."""

MAX_STRUCTURED = 20_000
"""Longest header handed to the standard library's address parser, which is slower than linear."""


def read_headers(message: Message) -> tuple[Headers, tuple[ConversionWarning, ...]]:
    """Headers worth keeping, decoded, each on one line.

    Args:
        message: the parsed message.
    """
    headers: Headers = {}
    warnings: list[ConversionWarning] = []
    for key, name in _NAMES.items():
        value, clean = header_text(message, name)
        if not clean:
            text = f"The header {name} is malformed and is shown as far as it could be decoded."
            warnings.append(ConversionWarning(code=DegradedFlag.ENCODING_REPAIRED, message=text))
        if len(value) > MAX_CHARS:
            text = f"The header {name} has {len(value)} characters and was cut to {MAX_CHARS}."
            warnings.append(ConversionWarning(code=DegradedFlag.PARTIAL_CONVERSION, message=text))
        if value:
            headers[key] = value[:MAX_CHARS]
    _add_date(message, headers, warnings)
    language, _ = header_text(message, "Content-Language")
    if re.fullmatch(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*", language):
        headers["language"] = language
    return headers, tuple(warnings)


def header_text(message: Message, name: str) -> tuple[str, bool]:
    """A header's first value on one line, and whether it was well formed; empty where it is absent."""
    raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), None)
    if raw is None:
        return "", True
    raw_text = _readable(str(raw))
    value, clean = "", len(raw_text) <= MAX_STRUCTURED
    if clean:
        try:
            parsed = EmailPolicy().header_factory(name, re.sub(r"\r?\n", "", raw_text))
            value = str(parsed)
        # The standard library's header parser raises these on malformed headers instead of recording a defect.
        except (AttributeError, IndexError, LookupError, RecursionError, TypeError, ValueError):
            clean = False
    if not value.strip():
        value = raw_text
    text = " ".join(re.sub("[\x00-\x1f\x7f]", " ", _readable(value)).split())
    return text, clean and "\ufffd" not in text


def _readable(value: str) -> str:
    """Raw bytes in a header reach us as surrogates: they are UTF-8 more often than not, else Western."""
    if not any("\ud800" <= char <= "\udfff" for char in value):
        return value
    data = value.encode("utf-8", errors="surrogateescape")
    try:
        return data.decode("utf-8")
    except UnicodeError:
        return data.decode("cp1252", errors="replace")


def _add_date(message: Message, headers: Headers, warnings: list[ConversionWarning]) -> None:
    raw, _ = header_text(message, "Date")
    if not raw:
        return
    try:
        headers["date"] = email.utils.parsedate_to_datetime(raw).isoformat()
    except (TypeError, ValueError, OverflowError):
        headers["date_as_written"] = raw[:MAX_CHARS]
        text = "The header Date is no date; it is kept as it was written."
        warnings.append(ConversionWarning(code="date_not_read", message=text))
