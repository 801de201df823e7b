"""Parts of fresh documents as people edit and type them: runs of a paragraph, and paragraphs of plain text."""

from __future__ import annotations

from collections.abc import Sequence

from .words import Words

TAGS = {
    "struck": "<s>{}</s>", "added": "<ins>{}</ins>", "raised": "<sup>{}</sup>", "small": "<small>{}</small>",
    "noted": "<em>{}</em>", "field": "<code>{}</code>", "marked": "<span>{}</span>", "break": "<br>{}", "tab": "&nbsp;{}",
}  # fmt: skip
"""Tags by what is done to a run."""


def edited_runs(words: Words) -> list[tuple[str, str]]:
    """Generate a paragraph of runs in which people worked: struck out, added, raised, broken; one word lies in three of them."""
    w, n = words.word, words.dice.randint
    first, *others = ("plain", "struck", "added", "small", "noted", "field", "marked", "break", "tab")
    words.dice.shuffle(others)
    runs = [(how, f"{w()} {w()} {n(10, 99)} ") for how in (first, *others)]
    whole = words.long_word()
    cut = [("plain", whole[:4]), ("noted", whole[4:9]), ("plain", f"{whole[9:]} ")]
    return [*runs[:4], *cut, *runs[4:], ("plain", f"{w()} m"), ("raised", "2"), ("plain", f" {w()}.")]


def text_of_runs(runs: Sequence[tuple[str, str]]) -> str:
    """Return the text of runs."""
    return "".join(text for _, text in runs)


def typed_paragraphs(words: Words) -> list[str]:
    """Generate paragraphs as they are typed: broken at hyphens, set in columns, numbered, indented, with signs of markup."""
    w, n = words.word, words.dice.randint
    again = words.line(4)
    return [
        f"{words.line(5)} {w()}-\n{w()} {words.line(5)} {w()}-\nand {w()}-{w()} {w()} -\n{w()}",
        "\n".join(f"{w():<14}{n(100, 999):>8}{-n(10, 99):>9}.{n(10, 99)}  {w()}" for _ in range(5)),
        "\n".join(f"{number}. {words.line(3)}" for number in (3, 4, 4, 7)),
        "\n".join(f"    {words.line(4)}" for _ in range(3)),
        "\n".join(f"({letter}) {words.line(3)}" for letter in "acd"),
        "\n".join([again] * 3),
        again,
        f"<b>{w()}</b> {w()} < {n(2, 9)} && {n(2, 9)} > {w()} &amp; &lt;{w()}&gt; <!-- {w()} -->",
        f"{w()}_{w()} *{w()}* ~~{w()}~~ `{w()}` [{w()}] {{{{{w()}}}}} %s #{w()} @{w()} $x^2$ C:\\{w()}\\{w()}",
        f"{w()}\t{w()}\t{n(10, 99)}\n{w()}\t\t{n(10, 99)}",
        "\n".join((f"| {w()} | {n(10, 99)} |", "|---|---|", f"| {w()} | {n(10, 99)} |")),
        f"{words.heading()}\n{'=' * 12}",
        f"{w().upper()} {w().upper()}:\n{w()}?\n{w()}!\n{n(2, 99)}\n- {n(2, 99)} -",
        f"> {words.line(4)}\n>> {words.line(4)}\n{words.line(2)}",
        "\n".join(f"{'  ' * depth}- {words.line(2)}" for depth in (0, 1, 2, 1, 0)),
    ]
