"""Recognises answers in which a model repeats itself, as small models do until their answer is cut."""

from __future__ import annotations

import re

from octavo_digest.prompts import MARK

LEAST_WORDS = 40
"""Words from which an answer can be told to repeat itself."""
LEAST_DISTINCT = 0.1
"""Share of distinct words below which an answer repeats itself. Prose of 300 words has about half."""
_FENCES = re.compile(rf"</?{re.escape(MARK)}>?")
"""The fences of a prompt; the last one of an answer may be cut."""
_WORDS = re.compile(r"\w+")


def is_repetition(answer: str) -> bool:
    """Whether an answer says nothing: it has no word but the fences of the prompt, or few words again and again.

    Args:
        answer: the text that a model wrote.
    """
    words = _WORDS.findall(_FENCES.sub(" ", answer).casefold())
    return not words or (len(words) >= LEAST_WORDS and len(set(words)) < LEAST_DISTINCT * len(words))
