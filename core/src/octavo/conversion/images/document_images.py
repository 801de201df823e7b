"""The images of a document and where they are shown, as the host sees them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from octavo_contracts import Attachment, OctavoError
from octavo_sandbox import WorkerGroup
from octavo_sandbox.task import task_name

from ...documents.source import Source
from ...runtime import Runtime
from .image_collector import collect_images
from .image_kinds import ImageKind, image_kind
from .image_records import CollectedImages, CollectRequest
from .image_set import ImageSet

COLLECT = task_name(collect_images)


@dataclass(frozen=True, kw_only=True)
class DocumentImages:
    """The images of a document.

    Attributes:
        collected: the images and their uses.
        note: what is to be told of them, as a sentence without a full stop; empty if everything is well.
    """

    collected: CollectedImages = field(default_factory=CollectedImages)
    note: str = ""


def images_of(
    runtime: Runtime,
    source: Source,
    *,
    media_type: str | None,
    attachments: tuple[Attachment, ...] = (),
    password: str | None = None,
    cancel: threading.Event | None = None,
) -> DocumentImages:
    """Collect the images of a document in a worker.

    Args:
        runtime: workers and settings.
        source: the document.
        media_type: its type by content.
        attachments: those that its converter gave.
        password: of an encrypted document.
        cancel: event that stops the work.

    Returns:
        The images. One that cannot be read is counted in the note; so is a format that has none.

    Raises:
        Cancelled: `cancel` was set.
    """
    kind = image_kind(media_type)
    if kind is None:
        return DocumentImages(note=f"no images are read from documents of the type {media_type or 'unknown'}")
    if kind is ImageKind.MESSAGE:
        return _told(_of_message(attachments))
    payload = CollectRequest(password=password).to_json().encode()
    try:
        reply = runtime.pool.run(
            COLLECT,
            payload,
            source=source.handle(media_type=media_type or ""),
            limits=runtime.settings.limits,
            lane=WorkerGroup(),
            cancel=cancel,
        )
    except OctavoError as error:
        if error.reason is None:
            raise
        return DocumentImages(note=f"its images could not be read: {error.message}")
    return _told(reply.read(CollectedImages))


def _of_message(attachments: tuple[Attachment, ...]) -> CollectedImages:
    found = ImageSet()
    for one in attachments:
        if one.media_type.startswith("image/"):
            if one.data is None:
                found.miss()
            else:
                found.add(one.data, name=one.name or "")
    return found.collected()


def _told(collected: CollectedImages) -> DocumentImages:
    parts = []
    if collected.unread:
        parts.append(f"{_many(collected.unread)} could not be read or {_are(collected.unread)} not in the file")
    if collected.beyond:
        parts.append(f"{_many(collected.beyond)} beyond the limits {_were(collected.beyond)} left out")
    if not collected.images and not parts:
        parts.append("the document has no images")
    return DocumentImages(collected=collected, note="; ".join(parts))


def _many(count: int) -> str:
    return f"{count} image{'' if count == 1 else 's'}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"
