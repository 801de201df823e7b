"""The reference list of a JATS article, which Pandoc's reader leaves to a citation processor."""

from __future__ import annotations

from octavo_contracts.authoring import collapse, escape

from .package import parse_xml

_CITATIONS = ("mixed-citation", "element-citation", "citation", "nlm-citation")


def references(data: bytes) -> tuple[str, ...]:
    """The references as items of a markdown list.

    Args:
        data: the article.

    Raises:
        SourceCorrupt: it is not well-formed.
    """
    items = []
    for reference in parse_xml(data, part="article").iter("ref"):
        cited = [node for node in reference if node.tag in _CITATIONS] or [reference]
        # Elements of a citation touch each other; in a mixed one the signs between them stand in the text.
        texts = (("" if node.tag == "mixed-citation" else " ").join(map(str, node.itertext())) for node in cited)
        text = collapse(" ".join(texts)).strip()
        if text:
            items.append(f"- {escape(text)}")
    return tuple(items)
