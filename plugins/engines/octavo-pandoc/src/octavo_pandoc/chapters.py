"""Prepares the chapters of an e-book for Pandoc, which drops links inside code with their addresses."""

from __future__ import annotations

import re

from .package import CHAPTERS, Package

_LINKED_CODE = re.compile(rb"<code\b[^<>]*>\s*(<a\b[^<>]*>)([^<>]*)(</a\s*>)\s*</code\s*>", re.IGNORECASE)


def with_links_around_code(package: Package) -> bytes:
    """Return a book in which code that is one link is a link around code: Pandoc's code has no links in it."""
    changed = {}
    for name in package.names():
        if name.lower().endswith(CHAPTERS):
            chapter = package.get(name)
            text = _LINKED_CODE.sub(rb"\1<code>\2</code>\3", chapter)
            if text != chapter:
                changed[name] = text
    return package.rewritten(changed)
