"""Outlook messages (MSG), rewritten as mail messages: one reader then serves both."""

from __future__ import annotations

import base64
import io
import re
import struct
from email.header import Header
from email.message import Message
from email.parser import BytesHeaderParser, BytesParser
from email.utils import format_datetime, formataddr

from octavo_contracts import ConversionWarning, DegradedFlag, SourceCorrupt, ToolUnavailable

from .outlook_rtf import decompress, read_rich_text
from .outlook_store import Properties, has_cut_streams

_CLASS, _SUBJECT, _HEADERS, _MESSAGE_ID, _IN_REPLY_TO = "001A", "0037", "007D", "1035", "1042"
_BODY, _HTML, _RICH_TEXT = "1000", "1013", "1009"
_SUBMITTED, _DELIVERED = "0039", "0E06"
_SENDERS = (("5D02", "0065", "0042"), ("5D01", "0C1F", "0C1A"))
"""Address, address of another kind, name: of whom a message was sent for, then of whom it was sent by."""
_RECEIVERS = {1: ("To", "0E04"), 2: ("Cc", "0E03"), 3: ("Bcc", "0E02")}
_ROLE, _SMTP, _ADDRESS, _NAME = "0C15", "39FE", "3003", "3001"
_FILE_NAMES, _TYPE, _CONTENT, _CONTENT_ID = ("3707", "3704", "3001"), "370E", "3701", "3712"
_RECIPIENT, _ATTACHMENT = "__recip_version1.0_#", "__attach_version1.0_#"
_TAKEN_HEADERS = ("Message-ID", "In-Reply-To", "References", "Reply-To", "List-Id", "Content-Language")

MAX_DEPTH = 10
"""Deepest chain of messages inside messages that is rewritten."""

_BROKEN = (OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error)
"""What olefile raises on tables that point nowhere."""


def read_store(data: bytes, *, name: str) -> tuple[Message, tuple[ConversionWarning, ...]]:
    """Return an Outlook message as a mail message with the same headers, bodies and attachments.

    A message inside is a part of the type `message/rfc822`. The same bytes give the same message.

    Args:
        data: the file's bytes.
        name: the file's name, for messages.

    Raises:
        SourceCorrupt: no compound file, or one without a message.
        ToolUnavailable: olefile is not installed.
    """
    try:
        import olefile  # type: ignore[import-untyped]  # ships no types
    except ImportError as error:
        raise ToolUnavailable(
            f"olefile cannot be imported: {error}", plugin="plaintext", remedy="Run: pip install olefile"
        ) from error
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            if not file.exists("__properties_version1.0"):
                raise SourceCorrupt("the compound file holds no message", source=name, plugin="plaintext")
            writer = _Writer()
            message = writer.message(Properties(file, (), kind="message"), depth=0)
            if has_cut_streams(file):
                writer.warn("The file is cut off: text or attachments are missing.")
            return message, tuple(writer.warnings)
    except _BROKEN as error:
        raise SourceCorrupt(
            f"the compound file cannot be read: {type(error).__name__}: {error}", source=name, plugin="plaintext"
        ) from error


class _Writer:
    """Builds the messages of one file."""

    def __init__(self) -> None:
        self.warnings: list[ConversionWarning] = []
        self._multiparts = 0

    def message(self, store: Properties, *, depth: int) -> Message:
        """Return a message with its parts."""
        message = self._with_headers(store)
        bodies = self._bodies(store)
        body = bodies[0] if len(bodies) == 1 else self._multipart("alternative", bodies) if bodies else None
        parts = [part for child in store.children(_ATTACHMENT) if (part := self._attached(child, depth)) is not None]
        if "smime" in store.text(_CLASS).lower() and len(parts) == 1:
            # The whole message, signed or enciphered, is what is attached; the store's own bodies are empty.
            parts, body = [_unwrapped(parts[0])], None if not _words(bodies) else body
        if body is not None and not parts:
            return _merged(message, body)
        if (
            body is None
            and len(parts) == 1
            and parts[0].get_content_type() in {"multipart/signed", "application/pkcs7-mime"}
        ):
            return _merged(message, parts[0])
        return _merged(message, self._multipart("mixed", [*([body] if body is not None else []), *parts]))

    def _with_headers(self, store: Properties) -> Message:
        message = Message()
        sent = _parsed_headers(store.text(_HEADERS))
        _add(message, "Subject", store.text(_SUBJECT))
        if sender := _sender(store, sent):
            message["From"] = sender
        for name, value in _receivers(store).items():
            message[name] = value
        moment = store.moment(_SUBMITTED) or store.moment(_DELIVERED)
        if moment is not None:
            message["Date"] = format_datetime(moment)
        elif sent.get("Date"):
            _add(message, "Date", str(sent["Date"]))
        for name in _TAKEN_HEADERS:
            if name in sent:
                _add(message, name, str(sent[name]))
        for name, tag in (("Message-ID", _MESSAGE_ID), ("In-Reply-To", _IN_REPLY_TO)):
            if name not in message and (text := store.text(tag)):
                _add(message, name, text)
        return message

    def _bodies(self, store: Properties) -> list[Message]:
        """The plain text, then the HTML: a mail's order, in which the reader chooses."""
        plain, html = store.text(_BODY), store.text(_HTML)
        raw = store.binary(_HTML) if not html.strip() else None
        if not html.strip() and not raw and (packed := store.binary(_RICH_TEXT)):
            try:
                rich = read_rich_text(decompress(packed))
            except (ValueError, IndexError):
                self.warn("The body in rich text cannot be decompressed and was left out.")
            else:
                if rich.kind == "html":
                    html = rich.text
                elif not plain.strip():
                    plain = rich.text
        bodies = [_part("text/plain", plain.encode("utf-8", "replace"), charset="utf-8")] if plain.strip() else []
        if raw:
            bodies.append(_part("text/html", raw, charset=store.charset()))
        elif html.strip():
            bodies.append(_part("text/html", html.encode("utf-8", "replace"), charset="utf-8"))
        return bodies

    def _attached(self, store: Properties, depth: int) -> Message | None:
        name = next((text.strip() for tag in _FILE_NAMES if (text := store.text(tag)).strip()), "")
        inner = store.embedded(_CONTENT)
        if inner is not None and depth < MAX_DEPTH:
            part = Message()
            part["Content-Type"] = "message/rfc822"
            part.set_payload([self.message(inner, depth=depth + 1)])
            _name(part, name or inner.text(_SUBJECT))
            return part
        data = store.binary(_CONTENT)
        if data is None:
            what = "a message nested too deep" if inner is not None else "an object without bytes of its own"
            self.warn(f"The attachment {name or 'without a name'!r} is {what} and was not taken out.")
            return None
        part = _part(_media_type(store.text(_TYPE)), data)
        _name(part, name)
        if content_id := store.text(_CONTENT_ID).strip():
            _add(part, "Content-ID", f"<{content_id.strip('<>')}>")
        return part

    def _multipart(self, kind: str, parts: list[Message]) -> Message:
        self._multiparts += 1
        whole = Message()
        # All that stands inside is base64, so that no line in it can be the boundary.
        whole.add_header("Content-Type", f"multipart/{kind}", boundary=f"=_part_{self._multiparts}")
        whole.set_payload([*parts])
        return whole

    def warn(self, message: str) -> None:
        self.warnings.append(ConversionWarning(code=DegradedFlag.PARTIAL_CONVERSION, message=message))


def _merged(message: Message, content: Message) -> Message:
    """The message with the content as its own: headers of the one, type and payload of the other."""
    for name in ("Content-Type", "Content-Transfer-Encoding", "Content-Disposition"):
        if (value := content.get(name)) is not None:
            message[name] = value
    message.set_payload(content.get_payload())
    return message


def _part(media_type: str, data: bytes, *, charset: str | None = None) -> Message:
    part = Message()
    if charset:
        part.add_header("Content-Type", media_type, charset=charset)
    else:
        part["Content-Type"] = media_type
    part["Content-Transfer-Encoding"] = "base64"
    part.set_payload(base64.encodebytes(data).decode("ascii"))
    return part


def _unwrapped(part: Message) -> Message:
    """The MIME entity that a signed Outlook message keeps as a file; what is none stays as it is."""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    if re.match(rb"(?:[A-Za-z-]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*?content-type:\s*multipart/signed", data, re.IGNORECASE):
        return BytesParser().parsebytes(data)
    if str(part.get_filename() or "").lower().endswith(".p7m"):
        part.replace_header("Content-Type", "application/pkcs7-mime")
    return part


def _words(bodies: list[Message]) -> bool:
    return any(bool((part.get_payload(decode=True) or b"").strip()) for part in bodies)  # type: ignore[union-attr]  # bytes: no body is a multipart


def _name(part: Message, name: str) -> None:
    clean = " ".join(name.split())
    part.add_header("Content-Disposition", "attachment", **({"filename": ("utf-8", "", clean)} if clean else {}))


def _add(message: Message, name: str, value: str) -> None:
    """Set a header on one line; characters beyond ASCII as encoded words, which can be written out again."""
    line = " ".join(value.replace("\x00", "").split())
    if line:
        message[name] = line if line.isascii() else Header(line, "utf-8", maxlinelen=10**6).encode()


def _parsed_headers(text: str) -> Message:
    return BytesHeaderParser().parsebytes(text.encode("utf-8", "surrogateescape" if text.isascii() else "replace"))


def _sender(store: Properties, sent: Message) -> str:
    if value := sent.get("From"):
        return str(value).replace("\r", "").replace("\n", "")
    for smtp, other, name in _SENDERS:
        address = next((text for tag in (smtp, other) if "@" in (text := store.text(tag).strip())), "")
        if address or store.text(name).strip():
            return _address(store.text(name), address)
    return ""


def _receivers(store: Properties) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for receiver in store.children(_RECIPIENT):
        header, _ = _RECEIVERS.get((receiver.number(_ROLE) or 1) & 0xF, _RECEIVERS[1])
        address = next((text for tag in (_SMTP, _ADDRESS) if "@" in (text := receiver.text(tag).strip())), "")
        if written := _address(receiver.text(_NAME), address):
            found.setdefault(header, []).append(written)
    for header, tag in _RECEIVERS.values():
        names = [name for name in store.text(tag).replace("\x00", "").split(";") if name.strip()]
        if header not in found and names:
            found[header] = [_address(name, "") for name in names]
    return {header: ", ".join(found[header]) for header, _ in _RECEIVERS.values() if header in found}


def _address(name: str, address: str) -> str:
    """A name and an address as a mail header has them; without an address the name in quotes."""
    name = " ".join(name.replace("\x00", "").split()).strip("'\"")
    if not address:
        return formataddr((name, "x"), "utf-8").removesuffix(" <x>") if name else ""
    if not address.isascii():
        return Header(f"{name} <{address}>", "utf-8", maxlinelen=10**6).encode()
    return formataddr(("" if name == address else name, address), "utf-8")


def _media_type(value: str) -> str:
    value = value.strip().lower()
    return (
        value
        if re.fullmatch(r"[\w.+-]+/[\w.+-]+", value) and not value.startswith(("multipart/", "message/"))
        else "application/octet-stream"
    )
