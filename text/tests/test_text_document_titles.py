"""The title of a document: the stated one, unless it says nothing, else the first heading of level 1."""

from __future__ import annotations

import pytest
from octavo_contracts import Conversion, DocumentMetadata, Page
from octavo_text.document_titles import is_title, titled


def conversion(markdown: str, *, title: str | None) -> Conversion:
    page = Page(number=1, kind="whole", markdown=markdown, text=markdown)
    return Conversion(pages=(page,), paginated=False, metadata=DocumentMetadata(title=title, author="Anna Hale"))


@pytest.mark.parametrize(
    "text",
    [
        "(anonymous)",
        "[Untitled]",
        "untitled 3",
        "PowerPoint Presentation",
        "Document1",
        "Microsoft Word - x.doc",
        "Microsoft PowerPoint - Tides – final",
        "paper.dvi",
        "C:\\My Files\\tides.doc",
        "0000764478-23-000006",
        " – ",
    ],
)
def test_placeholders_names_of_tools_and_numbers_are_no_titles(text: str) -> None:
    assert not is_title(text)


@pytest.mark.parametrize(
    "text",
    ["1984", "2024-03-01", "Untitled verses of the coast", "Word processors", "Title 17", "Anonymous (1931)", "潮汐"],
)
def test_other_texts_are_titles(text: str) -> None:
    assert is_title(text)


def test_a_stated_title_stays() -> None:
    told = conversion("# Harbour notes\n", title="Tides of 1931")
    assert titled(told) is told.metadata


@pytest.mark.parametrize("title", [None, "(anonymous)"])
def test_the_first_heading_is_the_title_otherwise(title: str | None) -> None:
    told = titled(
        conversion("Draft\n\n# Notes of the **harbour** [office](https://example.org)\n\n# Tides\n", title=title)
    )
    assert (told.title, told.author) == ("Notes of the harbour office", "Anna Hale")


@pytest.mark.parametrize(
    "markdown",
    [
        "## Harbour notes\n\nText.\n",
        "```\n# settings\n```\n",
        "# Untitled\n\n# Tides\n",
        f"# {'long ' * 50}\n",
        f"{'Text. ' * 600}\n\n# Appendix\n",
        f"{'Text. ' * 498}\n\n# Appendix of tides and other things\n\nText.\n",
    ],
)
def test_without_a_heading_that_can_be_one_there_is_no_title(markdown: str) -> None:
    """A heading far from the beginning is no title either."""
    assert titled(conversion(markdown, title="untitled")).title is None
