"""The documents inside a document, such as the files of an archive or the attachments of a mail: which ones, under which names, and how deep."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from octavo.conversion.attachments import SIGNATURES
from octavo.conversion.results import ConvertedDocument
from octavo.formats import format_of
from octavo.settings.attachments import AttachmentSettings
from octavo_contracts import Attachment, ContentTooLarge, OctavoError, RoutingType
from octavo_sandbox.filesystem.output_names import output_names, safe_name

_CONTAINERS = frozenset({RoutingType.ARCHIVE, RoutingType.EMAIL})
_MESSAGE = "message/rfc822"
_LONGEST = 100
"""Code points of one part of a name."""
_SEPARATORS = re.compile(r"[/\\]")


def inner_documents(converted: ConvertedDocument, settings: AttachmentSettings) -> tuple[Attachment, ...]:
    """The documents inside a document that are converted by themselves, each with its bytes and a name.

    Signatures of a mail are no documents, and the images that its body displays are not converted unless the settings ask for them.

    Args:
        converted: an archive or a mail; any other document gives none.
        settings: the rules for attachments in a library.
    """
    classification = converted.result.classification
    if classification is None or classification.routing_type not in _CONTAINERS:
        return ()
    own = converted.result.content_hashes.raw_file_hash
    found = [one for one in converted.attachments if one.data and one.sha256 != own and not _is_part(one, settings)]
    if classification.routing_type is RoutingType.ARCHIVE:
        return tuple(found)
    return tuple(
        one.model_copy(update={"name": _name_in_mail(one, number)}) for number, one in enumerate(found, start=1)
    )


def _is_part(one: Attachment, settings: AttachmentSettings) -> bool:
    """Whether an attachment belongs to the message around it."""
    is_shown = one.inline and one.media_type.startswith("image/") and not settings.inline
    return is_shown or one.media_type.lower() in SIGNATURES


def within_limits(
    members: Sequence[Attachment], settings: AttachmentSettings, *, depth: int
) -> tuple[Sequence[Attachment], OctavoError | None]:
    """The documents that are converted, and an error that says how many are not.

    Args:
        members: documents inside one document.
        settings: the limits, which are those of attachments in a library.
        depth: documents around these ones, 1 for those inside a document that the user named.
    """
    if members and depth > settings.depth:
        return (), _left_out(len(members), f"they are nested {depth} deep", "attachments.depth")
    if len(members) > settings.most:
        left = len(members) - settings.most
        return members[: settings.most], _left_out(left, f"the limit is {settings.most}", "attachments.most")
    return members, None


def inner_places(members: Sequence[Attachment], folder: PurePosixPath, extension: str) -> list[PurePosixPath]:
    """The file of each document, below the folder of the document around it. Names come from that document and are not trusted."""
    places = {str(number): folder / _place(one.name or "document") for number, one in enumerate(members)}
    return list(output_names(places, extension).values())


def _name_in_mail(one: Attachment, number: int) -> str:
    """The name of an attachment without folders; numbered if it has none: `attachment-2.pdf`.

    A message gets the ending by which its format is detected.
    """
    extensions = format_of(one.media_type).extensions
    ending = extensions[0] if extensions else ""
    name = _SEPARATORS.split(one.name or "")[-1].strip()
    if not name:
        return f"attachment-{number}{ending}"
    return f"{name}{ending}" if one.media_type == _MESSAGE and not name.lower().endswith(ending) else name


def _place(name: str) -> PurePosixPath:
    parts = [part for part in _SEPARATORS.split(name) if part not in ("", ".")] or ["document"]
    return PurePosixPath(*(safe_name(_printable(part)) for part in parts))


def _printable(part: str) -> str:
    shown = "".join(char if char.isprintable() else "_" for char in part)
    stem, dot, ending = shown.rpartition(".")
    if len(shown) <= _LONGEST:
        return shown
    return f"{stem[:_LONGEST]}{dot}{ending[:10]}" if stem else shown[:_LONGEST]


def _left_out(count: int, why: str, setting: str) -> OctavoError:
    documents = "1 document inside was" if count == 1 else f"{count} documents inside were"
    return ContentTooLarge(
        f"{documents} not converted: {why}", remedy=f"Raise {setting}, or convert them by themselves"
    )
