"""Takes the backslash off underscores within words, where markdown needs none: a model would copy it with the name."""

from __future__ import annotations

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_IN_A_WORD = re.compile(r"((`++)[^`\n]*+\2)|(?<=[^\W_])(?:\\_)+(?=[^\W_])")
"""A code span, or escaped underscores between two letters or figures."""


def with_plain_underscores(markdown: str) -> str:
    """Return a markdown text of the engine without the backslashes that change nothing; code is left as it is.

    Args:
        markdown: as markdownify writes it, which escapes every underscore outside of code.
    """
    if "\\_" not in markdown:
        return markdown
    lines, fence = [], ""
    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            fence = ""
        elif not fence:
            line = _IN_A_WORD.sub(lambda found: found[1] or found[0].replace("\\", ""), line)
        lines.append(line)
    return "\n".join(lines)
