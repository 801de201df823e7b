"""Targets of links in every form that addresses have: parameters, fragments, ports, percent signs, other schemes, other letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

from .model import words_of
from .words import Words

_FORMS = (
    # Parameters: several with one name, without a value, in no order, of trackers.
    "https://{w}.example/{w}?id={n}",
    "https://{w}.example/list?{w}={n}&owner=a{n}&owner=b{n}&owner=c{n}&year={n}",
    "https://{w}.example/?tag={w}&tag={w}",
    "https://{w}.example/find?fq=a:{n}&q={w}+{w}&fq=b:{n}",
    "https://{w}.example/{w}?z={n}&a={n}&m=&{w}&k=0{n}",
    "https://{w}.example/{w}?id={n}&utm_source=mail&utm_id={n}&ref={w}",
    "https://{w}.example/{w}?id={n};part={n}&to=https://{w}.example/a?b={n}",
    # Fragments.
    "https://{w}.example/{w}#part-{n}",
    "https://{w}.example/{w}?id={n}&lang=en#{w}",
    "https://{w}.example/#!/{w}/{n}?tab={w}",
    # Percent signs that stand for signs with a meaning, and for letters.
    "https://{w}.example/{w}%20{w}/{w}%2F{n}?q={w}%26{w}%3D{n}",
    "https://{w}.example/gr%C3%B6%C3%9Fe/{w}?rate={n}%25",
    "https://{w}.example/größe/{w}?ort=zürich-{n}",
    # Hosts, ports, paths.
    "http://{w}.example:8{n}/{w}/",
    "https://www.{w}.example.org/",
    "https://{w}.example/{W}/{w}.HTML",
    "https://{w}.example/~{w}/{w},{n}/{w};v{n}/@{w}",
    "https://{w}.example/{w}//{w}/index.html",
    "https://{w}.example/wiki/{w}_({w})",
    "https://192.0.2.{n2}/{w}/v{n}.0.{n2}/{w}_{w}-{w}.tar.gz",
    # Other schemes.
    "mailto:{w}@{w}.example",
    "mailto:{w}@{w}.example?cc={w}@{w}.example&subject={w}%20{n}&body={w}",
    "ftp://{w}.example/{w}/{n}.txt",
    "tel:+4930{n}{n}",
)
"""Of each form one is among as many links as there are forms: w is a word, W one in capitals, n and n2 are numbers."""
_PLACE = re.compile(r"\{(\w+)\}")
_SAFE = ":/?#&=+%"
"""Signs that differ in meaning from their spelling with a percent sign, and the percent sign itself."""


def make_targets(words: Words, count: int) -> list[str]:
    """Generate targets, all different: of each form as many as of another, give or take one.

    Args:
        words: the words.
        count: number of targets.
    """
    forms = [_FORMS[at % len(_FORMS)] for at in range(count)]
    words.dice.shuffle(forms)
    return [_filled(form, words) for form in forms]


def _filled(form: str, words: Words) -> str:
    n = words.dice.randint
    makers: dict[str, Callable[[], str]] = {
        "w": words.word,
        "W": lambda: words.word().upper(),
        "n": lambda: str(n(100, 999)),
        "n2": lambda: str(n(11, 99)),
    }
    return _PLACE.sub(lambda place: makers[place[1]](), form)


def words_of_targets(targets: Sequence[str]) -> list[str]:
    """Return the words of targets in all spellings that mean the same."""
    return [word for target in targets for one in (target, common_spelling(target)) for word in words_of(one)]


def common_spelling(target: str) -> str:
    """Return a target with all signs but those that divide an address as percent signs and numbers, which mean the same."""
    return quote(target, safe=_SAFE)


def md_link(label: str, target: str) -> str:
    """Return a link in markdown."""
    return f"[{label}](<{target}>)" if set(target) & set("() ") else f"[{label}]({target})"
