"""Gathers the images of a document, each once, within the limits. Runs in the worker only."""

from __future__ import annotations

import hashlib

from .image_records import MAX_IMAGES, MAX_TOTAL_BYTES, CollectedImages, ImageFile, ImageUse

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", ".png"),
    (b"\xff\xd8\xff", ".jpg"),
    (b"GIF8", ".gif"),
    (b"BM", ".bmp"),
    (b"II*\0", ".tif"),
    (b"MM\0*", ".tif"),
    (b"\x00\x00\x00\x0cjP", ".jp2"),
    (b"\x01\x00\x00\x00", ".emf"),
    (b"\xd7\xcd\xc6\x9a", ".wmf"),
)


class ImageSet:
    """The images found so far, and where they are shown."""

    def __init__(self) -> None:
        self._images: list[ImageFile] = []
        self._known: dict[str, int] = {}
        self._uses: list[ImageUse] = []
        self._bytes = 0
        self._unread = 0
        self._beyond = 0

    def add(self, data: bytes, *, name: str = "", page: int | None = None, description: str = "") -> None:
        """Note one use of an image.

        Args:
            data: the bytes of the image.
            name: the document's own name of it.
            page: the page, slide or sheet that shows it.
            description: the document's own description of it.
        """
        extension = image_extension(data)
        if extension is None:
            self._unread += 1
            return
        digest = hashlib.sha256(data).hexdigest()
        index = self._known.get(digest)
        if index is None:
            if len(self._images) >= MAX_IMAGES or self._bytes + len(data) > MAX_TOTAL_BYTES:
                self._beyond += 1
                return
            index = self._known[digest] = len(self._images)
            self._images.append(ImageFile(name=name, extension=extension, data=data))
            self._bytes += len(data)
        self._uses.append(ImageUse(image=index, page=page, description=description))

    def miss(self) -> None:
        """Note a use of an image that cannot be read."""
        self._unread += 1

    def collected(self, *, beyond: int = 0, looks_like: tuple[int, ...] = ()) -> CollectedImages:
        """Everything that was found.

        Args:
            beyond: further uses that were not looked at.
            looks_like: pages whose text resembles a reference to an image.
        """
        return CollectedImages(
            images=tuple(self._images),
            uses=tuple(self._uses),
            unread=self._unread,
            beyond=self._beyond + beyond,
            looks_like=looks_like,
        )


def image_extension(data: bytes) -> str | None:
    """Return the file extension of an image, told by its content; None for a type that viewers do not show."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ".webp"
    for signature, extension in _SIGNATURES:
        if data.startswith(signature) and (extension != ".emf" or data[40:44] == b" EMF"):
            return extension
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith((b"<svg", b"<?xml", b"<!--", b"<!DOCTYPE svg")) and b"<svg" in data[:4096]:
        return ".svg"
    return None
