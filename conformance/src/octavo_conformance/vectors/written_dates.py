"""Fresh documents that state their date in figures, in words, or as a month: an order of day and month that their language tells."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

from .book_bytes import BOOK_WORDS, EPUB_TYPE, chapter, epub
from .model import words_of
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, Truth
from .words import Words

Form = tuple[str, str, str]
"""The language that the document states, the form in which it writes its date, and the form of what is meant; '' where nothing is known."""
_FORMS: dict[str, Form] = {
    "british": ("en-GB", "%d/%m/%Y", "%Y-%m-%d"),
    "american": ("en-US", "%m/%d/%Y", "%Y-%m-%d"),
    "german": ("de", "%d.%m.%Y", "%Y-%m-%d"),
    "french": ("fr", "%d/%m/%Y", "%Y-%m-%d"),
    "worded": ("en", "%d %B %Y", "%Y-%m-%d"),
    "month": ("en", "%B %Y", "%Y-%m"),
    "figures": ("en", "%Y-%m", "%Y-%m"),
    "year": ("en", "%Y", "%Y"),
    "undecided": ("", "%d/%m/%Y", ""),
}


def _day(words: Words) -> date:
    """Generate a day whose number may be that of a month too, and is another one than its month's."""
    while True:
        made = date(words.dice.randint(2001, 2025), 1, 1) + timedelta(days=words.dice.randint(0, 364))
        if made.day <= 12 and made.day != made.month:
            return made


def _dated(words: Words, form: Form) -> tuple[str, str, dict[str, object]]:
    """Return the language, the date as it is written, and what is to be found of it."""
    language, written, meant = form
    day = _day(words)
    told = day.strftime(written)
    allowed = ("Date", "date", *words_of(told), *words_of(day.isoformat()), *words_of(language))
    return language, told, {"stated_dates": (day.strftime(meant) if meant else "none",), "allowed": allowed}


def _md(words: Words, *, form: Form) -> Truth:
    language, told, truth = _dated(words, form)
    heading, lines = words.heading(), [words.line() for _ in range(3)]
    quote = words.dice.choice(("", '"'))
    matter = [f"date: {quote}{told}{quote}", *([f"lang: {language}"] if language else [])]
    words.dice.shuffle(matter)
    text = "\n\n".join(("\n".join(("---", *matter, "---")), f"# {heading}", *lines)) + "\n"
    return text.encode(), "whole", [" ".join((heading, *lines))], truth


def _html(words: Words, *, form: Form) -> Truth:
    language, told, truth = _dated(words, form)
    heading, lines = words.heading(), words.lines()
    page = HTML.format(title=heading, body=f"<h1>{heading}</h1>" + "".join(f"<p>{line}</p>" for line in lines))
    page = page.replace(' lang="en"', f' lang="{language}"' if language else "")
    page = page.replace("<title>", f'<meta name="date" content="{told}"><title>')
    return page.encode(), "whole", [" ".join((heading, *lines))], truth


def _epub(words: Words, *, form: Form) -> Truth:
    _, told, truth = _dated(words, form)
    heading, lines = words.heading(), [words.line(9) for _ in range(4)]
    body = f"<h1>{heading}</h1>" + "".join(f"<p>{line}</p>" for line in lines)
    data = epub([chapter(heading, body)], title=heading, date=told)
    allowed = (*BOOK_WORDS, *heading.split(), *words_of(told), "Date")
    return data, "whole", [" ".join((heading, *lines))], truth | {"allowed": allowed}


def _sheaf(words: Words, *, form: Form) -> Truth:
    _, told, truth = _dated(words, form)
    line = words.line(9)
    return sheaf(pages=[{"blocks": [["p", line]]}], date=told), "page", [line], truth


WRITTEN_DATES: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    **{f"md/{name}.md": ("text/markdown", partial(_md, form=form)) for name, form in _FORMS.items()},
    **{
        f"html/{name}.html": ("text/html", partial(_html, form=_FORMS[name]))
        for name in ("british", "american", "german", "month")
    },
    **{f"epub/{name}.epub": (EPUB_TYPE, partial(_epub, form=_FORMS[name])) for name in ("figures", "year")},
    **{f"sheaf/{name}.sheaf": (SHEAF, partial(_sheaf, form=_FORMS[name])) for name in ("figures", "year")},
}
"""Path → media type, and the function that makes the document."""
