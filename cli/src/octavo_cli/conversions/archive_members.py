"""The files of an archive as documents of their own: which ones, under which names, and how deep."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from octavo.conversion.results import ConvertedDocument
from octavo.settings.attachments import AttachmentSettings
from octavo_contracts import Attachment, ContentTooLarge, OctavoError, RoutingType
from octavo_sandbox.filesystem.output_names import output_names, safe_name

_LONGEST = 100
"""Code points of one part of a name."""
_SEPARATORS = re.compile(r"[/\\]")


def archive_members(converted: ConvertedDocument) -> tuple[Attachment, ...]:
    """The files of an archive that have their bytes; none for any other document."""
    classification = converted.result.classification
    if classification is None or classification.routing_type is not RoutingType.ARCHIVE:
        return ()
    return tuple(one for one in converted.attachments if one.data)


def within_limits(
    members: Sequence[Attachment], settings: AttachmentSettings, *, depth: int
) -> tuple[Sequence[Attachment], OctavoError | None]:
    """The members that are converted, and an error that says which are not.

    Args:
        members: of one archive.
        settings: the limits, which are those of attachments in a library.
        depth: archives around these members, 1 for an archive that the user named.
    """
    if members and depth > settings.depth:
        return (), _left_out(len(members), f"the archive is nested {depth - 1} deep", "attachments.depth")
    if len(members) > settings.most:
        left = len(members) - settings.most
        return members[: settings.most], _left_out(left, f"the limit is {settings.most}", "attachments.most")
    return members, None


def member_places(members: Sequence[Attachment], folder: PurePosixPath, extension: str) -> list[PurePosixPath]:
    """The file of each member, below the folder of its archive. Names come from the archive and are not trusted."""
    places = {str(number): folder / _place(one.name or "document") for number, one in enumerate(members)}
    return list(output_names(places, extension).values())


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
    files = "1 file of the archive was" if count == 1 else f"{count} files of the archive were"
    return ContentTooLarge(f"{files} not converted: {why}", remedy=f"Raise {setting}, or convert them by themselves")
