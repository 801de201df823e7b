"""Writes the images of documents to a folder, and links them from the markdown."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from octavo.conversion.results import ConvertedDocument, with_page_marks
from octavo_sandbox.filesystem.output_folder import OutputFolder

from .image_links import file_names, linked_markdown, linked_pages


class ImageFolder:
    """The folder of `--images`.

    Args:
        path: the folder; made when the first image is written.
        force: whether files that are there are replaced.

    Raises:
        UsageError: it is a file, or in a library.
    """

    def __init__(self, path: str, *, force: bool) -> None:
        self._folder = OutputFolder(path, force=force)

    def write(self, converted: ConvertedDocument, place: PurePosixPath, *, beside: str, page_marks: bool) -> str:
        """Write the images of a document; returns its markdown with links to them.

        Args:
            converted: the document, converted with its images.
            place: its folder below this one.
            beside: folder of the markdown, to which the links are relative.
            page_marks: whether the markdown has a mark before each page.

        Raises:
            UsageError: a file is there and is not to be replaced.
            StorageError: the disk is full, or the folder cannot be written.
        """
        assert converted.images is not None  # the options asked for them
        collected = converted.images.collected
        if not len(converted.result.page_anchor_map):
            collected = collected.without_pages()
        links: dict[int, str] = {}
        for index, name in file_names(collected).items():
            self._folder.write(place / name, collected.images[index].data)
            target = os.path.relpath(self._folder.path / place / name, beside)
            links[index] = Path(target).as_posix()
        given = (converted.markdown, converted.result)
        if not page_marks:
            return linked_markdown(*given, collected, links)
        pages = linked_pages(*given, collected, links) if len(converted.result.page_anchor_map) else None
        markdown = converted.markdown if pages else linked_markdown(*given, collected, links)
        return with_page_marks(markdown, converted.result, pages=pages)
