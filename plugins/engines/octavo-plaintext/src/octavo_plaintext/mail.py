"""E-mail: one message, or a mailbox with a page for each."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from email.message import Message

from octavo_contracts import (
    Attachment,
    ContentTooLarge,
    Conversion,
    ConversionWarning,
    DegradedFlag,
    DocumentMetadata,
    Page,
    SourceCorrupt,
    SourceEncrypted,
)
from octavo_contracts.authoring import escape

from .mail_body import Encrypted, MailParts, read_parts
from .mail_headers import Headers, read_headers, shown_headers
from .mail_policy import VerbatimPolicy, line_end_of
from .outlook import read_store

_FROM_LINE = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n)|(?<=\n))From [^\n]*\d{4}[^\n]*\n")
_QUOTED_FROM = re.compile(rb"(?m)^>(?=>*From )")
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")


def read_message(data: bytes, *, name: str) -> Conversion:
    """One message as a whole: header block, then the body that carries the content.

    Args:
        data: the file's bytes.
        name: the file's name, for messages.

    Raises:
        SourceCorrupt: there is no header in it, or its parts nest too deep to be read.
        SourceEncrypted: the content is enciphered, by S/MIME or PGP.
    """
    warnings: list[ConversionWarning] = []
    if data.startswith(_WIDE_BOMS):
        data = data.decode("utf-16", errors="replace").encode("utf-8")
        message = "The file was saved as UTF-16, which no mail is; it was read as text and decoded again."
        warnings.append(ConversionWarning(code=DegradedFlag.ENCODING_REPAIRED, message=message))
    return _conversion_of(_parse(data, name), name=name, warnings=tuple(warnings))


def read_outlook(data: bytes, *, name: str) -> Conversion:
    """One Outlook message as a whole, like any other mail.

    Args:
        data: the file's bytes.
        name: the file's name, for messages.

    Raises:
        SourceCorrupt: no compound file, or one without a message.
        SourceEncrypted: the content is enciphered.
    """
    message, warnings = read_store(data, name=name)
    if not message.keys() and not message.get_payload():
        raise SourceCorrupt("the message has no header and no content", source=name, plugin="plaintext")
    return _conversion_of(message, name=name, warnings=warnings)


def _conversion_of(message: Message, *, name: str, warnings: tuple[ConversionWarning, ...]) -> Conversion:
    headers, header_warnings = read_headers(message)
    if not message.keys():
        raise SourceCorrupt("the file has no mail header", source=name, plugin="plaintext")
    try:
        parts = read_parts(message)
    except Encrypted as error:
        raise SourceEncrypted(
            f"the message is encrypted ({error}); its text cannot be read",
            source=name,
            plugin="plaintext",
            remedy="Save a decrypted copy from the mail program that holds the key",
        ) from error
    page = Page(
        number=1,
        kind="whole",
        markdown=_page_markdown(shown_headers(message, headers), parts),
        tables=parts.tables,
        hidden_text=parts.hidden,
        has_images=parts.has_images,
    )
    return Conversion(
        pages=(page,),
        paginated=False,
        metadata=_metadata(headers),
        attachments=parts.attachments,
        warnings=(*warnings, *header_warnings, *parts.warnings),
    )


def read_mailbox(data: bytes, *, name: str, max_pages: int) -> Conversion:
    """A mailbox (mbox) as pages, one a message, labelled with its subject.

    Args:
        data: the file's bytes.
        name: the file's name, for messages.
        max_pages: most messages.

    Raises:
        SourceCorrupt: no line begins a message.
        ContentTooLarge: more messages than `max_pages`.
    """
    starts = list(_FROM_LINE.finditer(data))
    if not starts:
        raise SourceCorrupt("no line begins a message with 'From '", source=name, plugin="plaintext")
    if len(starts) > max_pages:
        raise ContentTooLarge(
            f"the mailbox holds {len(starts)} messages, the limit is {max_pages}", source=name, plugin="plaintext"
        )
    pages: list[Page] = []
    attachments: list[Attachment] = []
    warnings: list[ConversionWarning] = []
    subjects: list[str | None] = []
    for number, raw in enumerate(_messages(data, starts), start=1):
        page, parts, more, subject = _mailbox_page(raw, number, name)
        pages.append(page)
        attachments += parts.attachments
        subjects.append(subject)
        warnings += [warning.model_copy(update={"page": number}) for warning in (*more, *parts.warnings)]
    metadata = DocumentMetadata(fields={"messages": len(pages), "subjects": [subject or "" for subject in subjects]})
    return Conversion(
        pages=tuple(pages),
        paginated=True,
        metadata=metadata,
        attachments=tuple(attachments),
        warnings=tuple(warnings),
    )


def _messages(data: bytes, starts: list[re.Match[bytes]]) -> Iterator[bytes]:
    ends = [match.start() for match in starts[1:]] + [len(data)]
    for match, end in zip(starts, ends, strict=True):
        yield _QUOTED_FROM.sub(b"", data[match.end() : end])


def _mailbox_page(
    raw: bytes, number: int, name: str
) -> tuple[Page, MailParts, tuple[ConversionWarning, ...], str | None]:
    """A message of a mailbox. One that cannot be read keeps its page and its headers: the others go on."""
    message = _parse(raw, name)
    headers, warnings = read_headers(message)
    try:
        parts = read_parts(message)
    except Encrypted as error:
        parts = MailParts()
        text = f"The message is encrypted ({error}); only its header was read."
        warnings = (*warnings, ConversionWarning(code=DegradedFlag.PARTIAL_CONVERSION, message=text))
    page = Page(
        number=number,
        label=headers.get("subject"),
        kind="page",
        markdown=_page_markdown(shown_headers(message, headers), parts),
        tables=parts.tables,
        hidden_text=parts.hidden,
        has_images=parts.has_images,
    )
    return page, parts, warnings, headers.get("subject")


def _parse(data: bytes, name: str) -> Message:
    try:
        return email.message_from_bytes(data, policy=VerbatimPolicy(linesep=line_end_of(data)))
    except RecursionError as error:
        raise SourceCorrupt("the message's parts nest too deep to be read", source=name, plugin="plaintext") from error


def _page_markdown(headers: Headers, parts: MailParts) -> str:
    """The subject as heading; who, when and what is attached below it; then the body."""
    blocks = [f"# {escape(headers['subject'])}"] if headers.get("subject") else []
    shown = [(label, headers[key]) for key, label in _SHOWN if headers.get(key)]
    if names := ", ".join(parts.attached_names):
        # Before the date, which ends the block in every mail.
        shown.insert(len(shown) - bool(headers.get("date")), ("Attachments", names))
    if shown:
        blocks.append("\\\n".join(f"{label}: {escape(text)}" for label, text in shown))
    return "\n\n".join([*blocks, parts.markdown] if parts.markdown else blocks)


_SHOWN = (("from", "From"), ("to", "To"), ("cc", "Cc"), ("bcc", "Bcc"), ("date", "Date"))


def _metadata(headers: Headers) -> DocumentMetadata:
    return DocumentMetadata(
        title=headers.get("subject"),
        author=headers.get("from"),
        date=headers.get("date"),
        language=headers.get("language"),
        fields={key: value for key, value in headers.items() if key != "language"},
    )
