"""Selects the body of a message and reads its attachments."""

from __future__ import annotations

import base64
import email
import email.errors
import email.header
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from urllib.parse import unquote

from octavo_contracts import Attachment, ConversionWarning, DegradedFlag, HiddenText, Table
from octavo_contracts.authoring import escape

from .decoding import decode
from .html_text import html_to_markdown
from .mail_alternatives import BodyText, better, seen_words
from .mail_text import mail_to_markdown
from .plain import plain_to_markdown
from .signed_mail import signed_content

MAX_ATTACHMENT_BYTES = 50 * 2**20
"""Largest attachment taken out; a larger one is listed without its bytes."""

MAX_ATTACHED_BYTES = 150 * 2**20
"""Most bytes of attachments taken out of one message: results travel as base64 and have a cap."""

MAX_PARTS = 1_000
"""Most parts of one message that are read."""

MAX_NESTED_MESSAGES = 20
"""Deepest chain of forwarded messages that is written out again."""

_SIGNATURES = frozenset(("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature"))
_ENCRYPTED_MIME = frozenset(("application/pkcs7-mime", "application/x-pkcs7-mime"))
_SHOWN = re.compile(r"""\bcid:([^"'()\s<>]+)""", re.IGNORECASE)
_PGP = re.compile(r"-----BEGIN PGP MESSAGE-----")
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")
_DEFECTS = {
    "InvalidBase64": "has characters that are not base64, or is cut off",
    "UndecodableBytes": "has bytes that cannot be decoded",
    "NoBoundaryInMultipart": "names no boundary between its parts",
    "StartBoundaryNotFound": "has no boundary before its first part",
    "CloseBoundaryNotFound": "breaks off before its last boundary",
}
"""Beginning of the name of an `email.errors` defect → what is wrong with the part."""


class Encrypted(Exception):
    """The message's content is enciphered; the text says how."""


@dataclass
class MailParts:
    """What a message carries.

    Attributes:
        markdown: the body.
        tables: data tables of the body.
        hidden: text of the body that cannot be seen.
        attachments: what is attached, in order.
        warnings: what a reader should know.
        has_images: whether pictures are attached.
    """

    markdown: str = ""
    tables: tuple[Table, ...] = ()
    hidden: tuple[HiddenText, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    warnings: tuple[ConversionWarning, ...] = ()
    has_images: bool = False

    @property
    def attached_names(self) -> list[str]:
        """What is attached and not shown by the body, by name; signatures of the message are no documents."""
        return [
            attached.name or f"unnamed ({attached.media_type})"
            for attached in self.attachments
            if not attached.inline and attached.media_type.lower() not in _SIGNATURES
        ]


def read_parts(message: Message) -> MailParts:
    """Read a message's body and attachments.

    Args:
        message: the parsed message.

    Raises:
        Encrypted: the content is enciphered; a message with readable text beside an enciphered part is read with a warning.
    """
    reader = _Reader()
    reader.read(message)
    texts = reader.texts
    if reader.encrypted and not any(text.words for text in texts):
        raise Encrypted(reader.encrypted[0])
    return MailParts(
        markdown=reader.with_picture_names("\n\n".join(text.markdown for text in texts if text.markdown)),
        tables=tuple(table for text in texts for table in text.tables),
        hidden=tuple(entry for text in texts for entry in text.hidden),
        attachments=tuple(reader.listed()),
        warnings=tuple(reader.warnings),
        has_images=any(attached.media_type.startswith("image/") for attached in reader.attachments),
    )


@dataclass
class _Reader:
    """One walk over the parts, in order and without recursion into attached messages."""

    texts: list[BodyText] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    content_ids: list[str] = field(default_factory=list)
    """Of each attachment, what a body would name it by; empty where it has none."""
    shown: set[str] = field(default_factory=set)
    """Content ids that a body shows."""
    warnings: list[ConversionWarning] = field(default_factory=list)
    encrypted: list[str] = field(default_factory=list)
    """How each enciphered part is enciphered."""
    _parts: int = 0
    _bytes: int = 0

    def read(self, part: Message) -> None:
        """Read a part with all it holds."""
        waiting = [part]
        while waiting:
            current = waiting.pop()
            self._parts += 1
            if self._parts > MAX_PARTS:
                self._warn(
                    DegradedFlag.PARTIAL_CONVERSION, f"Only the first {MAX_PARTS} parts of the message were read."
                )
                return
            waiting.extend(reversed(self._enter(current)))

    def with_picture_names(self, markdown: str) -> str:
        """Name attached pictures that the body shows without a text of their own."""
        for attached, content_id in zip(self.attachments, self.content_ids, strict=True):
            if content_id:
                shown = f"[Image: {escape(f'cid:{content_id}')}]"
                markdown = markdown.replace(shown, f"[Image: {escape(attached.name or content_id)}]")
        return markdown

    def listed(self) -> Iterator[Attachment]:
        """The attachments; inline is what a body shows by its id.

        What their own headers say does not count: telephones call every picture inline, other programs name every file.
        """
        for attached, content_id in zip(self.attachments, self.content_ids, strict=True):
            yield attached.model_copy(update={"inline": content_id in self.shown})

    def _enter(self, part: Message) -> list[Message]:
        """Handle a part; the parts inside it that are still to be read."""
        kind = part.get_content_type()
        if how := _encryption(part, kind):
            self._note_encrypted(how)
            if not part.is_multipart():
                self._attach(part, _payload(part))
            return []
        if kind in _ENCRYPTED_MIME and (signed := signed_content(_payload(part))) is not None:
            return [email.message_from_bytes(signed)]
        self._note_defects(part)
        if kind == "multipart/alternative" and (children := _children(part)):
            return self._best_alternative(children)
        if kind.startswith("multipart/"):
            return _children(part)
        if kind == "message/delivery-status":
            report = "\n\n".join(str(entry).strip() for entry in _children(part))
            self.texts.append(BodyText(plain_to_markdown(report), (), (), report))
        elif kind == "message/rfc822" or kind.startswith("message/"):
            self._attach(part, _attached_message(part))
        elif kind in {"text/plain", "text/html"} and self._is_body(part):
            self.texts.append(self._text(part, kind))
            if part.get_filename():
                self._attach(part, _payload(part))
        else:
            self._attach(part, _payload(part))
        return []

    def _is_body(self, part: Message) -> bool:
        """A text that is shown: not called an attachment, and not a file beside a body that is already there."""
        if part.get_content_disposition() == "attachment":
            return False
        return not part.get_filename() or not any(text.words for text in self.texts)

    def _best_alternative(self, children: list[Message]) -> list[Message]:
        """The plain text or the HTML, whichever holds more; what is no text is read as it stands."""
        texts = [(child, self._text(body, body.get_content_type())) for child in children if (body := _body_of(child))]
        plain = [entry for entry in texts if entry[0].get_content_type() == "text/plain"]
        rich = [entry for entry in texts if entry[0].get_content_type() != "text/plain"]
        if not texts:
            return children
        if plain and rich:
            self.texts.append(better(plain[0][1], rich[-1][1]))
        else:
            self.texts.append((plain[:1] or rich[-1:])[0][1])
        taken = {id(child) for child, _ in texts}
        # Pictures and files that came inside an alternative are attachments all the same.
        inner = [part for child, _ in texts for part in _leaves(child) if part is not _body_of(child)]
        return [*inner, *(child for child in children if id(child) not in taken)]

    def _text(self, part: Message, kind: str) -> BodyText:
        declared = part.get_content_charset()
        decoded = decode(_payload(part), declared=declared)
        self.warnings += decoded.warnings(what="The message's body")
        if _PGP.search(decoded.text) and len(decoded.text.split("-----BEGIN PGP MESSAGE-----")[0].split()) < 20:
            self._note_encrypted("inline PGP")
            return BodyText("", (), (), "")
        if kind == "text/html":
            self.shown.update(map(unquote, _SHOWN.findall(decoded.text)))
            html = html_to_markdown(decoded.text)
            return BodyText(html.markdown, html.tables, html.hidden, seen_words(html.markdown))
        return BodyText(mail_to_markdown(decoded.text), (), (), decoded.text)

    def _attach(self, part: Message, data: bytes | None) -> None:
        name = _file_name(part)
        self.content_ids.append(str(part.get("Content-ID") or "").strip().strip("<>"))
        if name and re.search(r"[/\\]|\A\.\.\Z|[\x00-\x1f]", name):
            self._warn(
                "attachment_name", f"An attachment is named like a path: {name!r}. The name is kept as text only."
            )
        if data is None:
            self._warn(
                DegradedFlag.PARTIAL_CONVERSION,
                f"A message forwarded more than {MAX_NESTED_MESSAGES} deep was listed without its bytes.",
            )
            data = b""
            self.attachments.append(_attachment(part, name, data, keep=False))
            return
        self._bytes += len(data)
        keep = len(data) <= MAX_ATTACHMENT_BYTES and self._bytes <= MAX_ATTACHED_BYTES
        if not keep:
            self._warn(
                DegradedFlag.PARTIAL_CONVERSION, f"The attachment {name!r} has {len(data)} bytes and was not taken out."
            )
        self.attachments.append(_attachment(part, name, data, keep=keep))

    def _note_encrypted(self, how: str) -> None:
        self.encrypted.append(how)
        self._warn(DegradedFlag.PARTIAL_CONVERSION, f"A part of the message is encrypted ({how}) and was not read.")

    def _note_defects(self, part: Message) -> None:
        if not part.is_multipart():
            part.get_payload(decode=True)  # what is wrong with the transfer encoding shows only when it is undone
        for defect in part.defects:
            name = type(defect).__name__
            for beginning, fault in _DEFECTS.items():
                if name.startswith(beginning):
                    where = f"The part of type {part.get_content_type()}"
                    self._warn("damaged_part", f"{where} {fault}; what could be read was kept.")

    def _warn(self, code: str, message: str) -> None:
        warning = ConversionWarning(code=code, message=message)
        if warning not in self.warnings:
            self.warnings.append(warning)


def _encryption(part: Message, kind: str) -> str:
    """How a part is enciphered; '' where it is not."""
    if kind == "multipart/encrypted":
        return str(part.get_param("protocol") or "multipart/encrypted")
    if kind == "application/x-microsoft-rpmsg-message":
        return "rights management"
    if kind in _ENCRYPTED_MIME:
        smime = str(part.get_param("smime-type") or "").lower()
        if smime in {"enveloped-data", "authenveloped-data"} or (not smime and not _is_signed(part)):
            return "S/MIME"
    return ""


def _is_signed(part: Message) -> bool:
    """Whether a CMS container holds signed data: its object identifier stands in the first bytes."""
    return bytes.fromhex("2a864886f70d010702") in _payload(part)[:40]


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _leaves(part: Message) -> Iterator[Message]:
    if not part.get_content_type().startswith("multipart/"):
        yield part
        return
    for child in _children(part):
        yield from _leaves(child)


def _body_of(part: Message) -> Message | None:
    """The text of an alternative: itself, or the first text inside a `multipart/related` or the like."""
    return next((leaf for leaf in _leaves(part) if leaf.get_content_type() in {"text/plain", "text/html"}), None)


def _payload(part: Message) -> bytes:
    """The bytes of a part; of base64 that is cut off, those of its whole groups, where the library gives the code undecoded."""
    payload = part.get_payload(decode=True)
    if any(isinstance(defect, email.errors.InvalidBase64LengthDefect) for defect in part.defects):
        code = _NOT_BASE64.sub("", str(part.get_payload()))
        return base64.b64decode(code[: len(code) - len(code) % 4])
    return payload if isinstance(payload, bytes) else b""


def _attached_message(part: Message) -> bytes | None:
    """An attached message's bytes, or None where the chain of messages is too long to write out again."""
    depth, inner = 0, _children(part)
    while inner and depth <= MAX_NESTED_MESSAGES:
        depth += 1
        inner = _children(inner[0]) if inner[0].get_content_type() == "message/rfc822" else []
    if depth > MAX_NESTED_MESSAGES:
        return None
    try:
        return b"\n".join(child.as_bytes() for child in _children(part)) or _payload(part)
    # The standard library's generator raises these on headers it cannot write again; the text is still there.
    except (AttributeError, IndexError, LookupError, RecursionError, TypeError, ValueError):
        return "\n".join(str(child.get_payload()) for child in _children(part)).encode("utf-8", errors="replace")


def _file_name(part: Message) -> str | None:
    try:
        name = part.get_filename()
        # Encoded words have no place in a file name, and stand in very many.
        name = str(email.header.make_header(email.header.decode_header(name))) if name else None
    except (LookupError, TypeError, ValueError, email.errors.HeaderParseError):  # unknown charset, bad base64
        name = str(part.get_param("filename", header="content-disposition") or part.get_param("name") or "")
    return name.encode("utf-8", errors="replace").decode("utf-8") or None if name else None


def _attachment(part: Message, name: str | None, data: bytes, *, keep: bool) -> Attachment:
    return Attachment(
        name=name,
        media_type=part.get_content_type(),
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        data=data if keep else None,
    )
