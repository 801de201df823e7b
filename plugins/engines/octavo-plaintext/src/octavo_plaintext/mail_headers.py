"""Decodes the headers of a message, including malformed ones."""

from __future__ import annotations

import email.utils
import re
from email.message import Message
from email.policy import EmailPolicy

from octavo_contracts import ConversionWarning, DegradedFlag

Headers = dict[str, str]
"""Header by our name for it: subject, from, to, cc, bcc, reply_to, date (ISO 8601), message_id, in_reply_to."""

_ADDRESSES = ("from", "to", "cc", "bcc")
_COMMENTED = re.compile(r"[^\s<>()@,;:\"]+@[^\s<>()@,;:\"]+(?:\s*\((?P<name>[^()\\]*)\))?")
"""An address as old programs write it, with the name in a comment: `keeper@pier.example (Ada Quay)`."""
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


def shown_headers(message: Message, headers: Headers) -> Headers:
    """The headers as a page shows them: with the names of people that stand in comments behind their addresses.

    The parser of addresses leaves comments out, as metadata do.

    Args:
        message: the parsed message.
        headers: as `read_headers` returns them.
    """
    shown = dict(headers)
    for key in _ADDRESSES:
        raw = _raw_header(message, _NAMES[key])
        if raw is not None and "(" in raw and len(raw) <= MAX_CHARS and (named := _with_names(raw)):
            shown[key] = _one_line(_NAMES[key], named)[0]
    return shown


def _with_names(addresses: str) -> str:
    """Addresses with the names that stand in comments before them, as today's programs write them; empty for other forms."""
    entries = [_COMMENTED.fullmatch(entry.strip()) for entry in addresses.split(",")]
    return ", ".join(_named(entry) for entry in entries if entry is not None) if all(entries) else ""


def _named(entry: re.Match[str]) -> str:
    name, address = (entry["name"] or "").strip(), entry.group().partition("(")[0].strip()
    if not name:
        return address
    # A name with signs that addresses give a meaning is quoted; encoded words may not be.
    return f'"{name}" <{address}>' if re.search(r"[.,;:@\[\]\"]", name) and "=?" not in name else f"{name} <{address}>"


def header_text(message: Message, name: str) -> tuple[str, bool]:
    """A header's first value on one line, and whether it was well formed; empty where it is absent."""
    raw = _raw_header(message, name)
    return _one_line(name, raw) if raw is not None else ("", True)


def _raw_header(message: Message, name: str) -> str | None:
    raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), None)
    return _readable(str(raw)) if raw is not None else None


def _one_line(name: str, raw_text: str) -> tuple[str, bool]:
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
