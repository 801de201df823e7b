"""Converted documents in notebooks: an HTML fragment with status, remarks and the beginning of the text.

The fragment loads nothing and runs nothing: a document's own scripts, forms, styles and images are left out. There is no
markdown display, because notebooks would load the images that a document's markdown links to.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from html import escape

from octavo_contracts import IngestionResult
from octavo_text.html_document import html_fragment

from .report_text import why_low, worth_telling

MAX_SHOWN = 20_000
"""Code points of markdown that a notebook shows."""
_BOX = "border: 1px solid #8888; padding: .5em 1em; max-width: 60em"
_SCROLLED = "max-height: 30em; overflow: auto"


def html_display(result: IngestionResult, markdown: str, *, title: str, page_image: bytes | None = None) -> str:
    """Build the fragment.

    Args:
        result: of the document.
        markdown: its text.
        title: its title or name; may be empty.
        page_image: its first page as PNG.
    """
    return "".join((f'<div style="{_BOX}">\n', *_parts(result, markdown, title, page_image), "</div>\n"))


def _parts(result: IngestionResult, markdown: str, title: str, page_image: bytes | None) -> Iterator[str]:
    heading = f"<strong>{escape(title)}</strong><br>" if title else ""
    yield f"<p>{heading}{escape(_facts(result))}</p>\n"
    yield from _remarks(result)
    if page_image is not None:
        data = base64.b64encode(page_image).decode("ascii")
        yield f'<img alt="page 1" style="float: right; max-width: 20em" src="data:image/png;base64,{data}">\n'
    if not markdown:
        return
    shown = _beginning(markdown)
    yield f'<div style="{_SCROLLED}">\n{html_fragment(shown)}</div>\n'
    if len(shown) < len(markdown):
        yield f"<p><em>The first {len(shown):,} of {len(markdown):,} characters are shown.</em></p>\n"


def _facts(result: IngestionResult) -> str:
    """For example "complete, 3 pages, quality 0.89"."""
    if result.ingestion_status == "hard_failed":
        receipt = result.failure_receipts[-1]
        return f"failed [{receipt.reason_code.value}]: {receipt.details}. {receipt.remedy}".rstrip(". ")
    pages = len(result.page_anchor_map)
    report = result.quality_report
    facts = [result.ingestion_status.removesuffix("_complete")]
    if pages:
        facts.append(f"{pages} page{'' if pages == 1 else 's'}")
    if report.quality_score is not None:
        low = why_low(report)
        facts.append(f"quality {report.quality_score:.2f}" + (f" ({low})" if low else ""))
    return ", ".join(facts)


def _remarks(result: IngestionResult) -> Iterator[str]:
    told = worth_telling(result.quality_report.findings)
    if told:
        items = (
            f"<li>{f'page {one.page}: ' if one.page else ''}{escape(one.message)} [{escape(one.flag)}]</li>\n"
            for one in told
        )
        yield f"<ul>\n{''.join(items)}</ul>\n"


def _beginning(markdown: str) -> str:
    """At most `MAX_SHOWN` code points, cut at the end of a line where there is one."""
    if len(markdown) <= MAX_SHOWN:
        return markdown
    end = markdown.rfind("\n", 0, MAX_SHOWN)
    return markdown[: end if end > 0 else MAX_SHOWN]
