"""A long fresh text for extractors of entities: people and places that are drawn for the run, between lines without any."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

ACCENTED = ("Zoë Müller", "José García", "Søren Kjær", "Chloé Lefèvre")
"""People with letters outside ASCII; two of them stand at the beginning of a text, two at its end."""
FIRST = ("Maria", "John", "Anna", "David", "Sarah", "Michael", "Emily", "Robert", "Laura", "Peter")
LAST = ("Lopez", "Carter", "Schmidt", "Wilson", "Johnson", "Brown", "Clark", "Miller", "Anderson", "Taylor")
PLACES = ("Paris", "London", "Berlin", "Madrid", "Rome", "Vienna", "Tokyo", "Chicago", "Boston", "Toronto")
GROUPS: dict[str, tuple[str, ...]] = {
    "with letters outside ASCII": ACCENTED,
    "with letters beyond Latin-1": ("Lech Wałęsa", "Jiří Novák", "Gábor Szőke", "Ayşe Yılmaz", "Łukasz Kowalski", "Ivo Đurić"),
    "with particles, hyphens and apostrophes": (
        "Mary O'Brien", "Jean-Pierre Dupont", "Ludwig van Beethoven", "Maria de Souza", "Anne-Marie Smith",
    ),
    "from Africa and Asia": ("Fatima Khan", "Mohammed Ali", "Priya Singh", "Wei Zhang", "Kofi Mensah", "Yuki Tanaka"),
    "of three words": ("John Robert Carter", "Sarah Jane Wilson", "David Michael Brown", "Anna Laura Clark"),
}  # fmt: skip
"""People whose names have other forms, by form."""
FIGURES: dict[str, tuple[tuple[str, str], ...]] = {
    "date": (
        ("4 March 2024", "2024-03-04"), ("March 17, 2023", "2023-03-17"), ("2022-11-30", "2022-11-30"),
        ("31 December 1999", "1999-12-31"), ("February 29, 2000", "2000-02-29"), ("1 May 1886", "1886-05-01"),
    ),
    "email": (
        ("anna.lopez@example.org", "anna.lopez@example.org"), ("j-carter@mail.example.co.uk", "j-carter@mail.example.co.uk"),
        ("office+tides@example.com", "office+tides@example.com"), ("R2.D2@example.net", "r2.d2@example.net"),
    ),
    "url": (
        ("https://example.org/tides?id=7", "https://example.org/tides?id=7"), ("http://www.example.com", "http://www.example.com"),
    ),
    "money": (("$1,250.75", "1250.75"), ("€3,400", "3400"), ("£99.90", "99.9"), ("$2 million", "2000000")),
}  # fmt: skip
"""Things other than names in forms that have one meaning, with this meaning, by label."""
ROWS: dict[str, tuple[str, ...]] = {
    "date": tuple(f"20{year}-0{year - 10}-1{year - 11}" for year in range(11, 19)),
    "email": tuple(f"{name}@example.org" for name in ("anna", "bert", "carl", "dora", "emil", "fay", "gerd", "hugo")),
    "url": tuple(f"https://example.org/{name}" for name in ("a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8")),
    "money": tuple(f"${number}.50" for number in range(101, 109)),
}
"""Things by label, to stand in a row with a blank between two."""
DOTTED = "The rope was paid on 25.12.2024, the lamp on 03.04.2024, the boat on 07.11.2023 and the oar on 31.01.2024."
"""A text with dates whose days stand before their months, as the first and the last say."""
DOTTED_DAYS = {
    "25.12.2024": "2024-12-25",
    "03.04.2024": "2024-04-03",
    "07.11.2023": "2023-11-07",
    "31.01.2024": "2024-01-31",
}
"""The meanings of its dates."""
YEARLESS = "They met on 4 March and again on 17 May, and the work was done by 9 December."
"""A text with dates, and without any year."""
TO_COME = " ".join(
    f"The lease ended on 1 {month} {year}." for year in range(2026, 2042) for month in ("June", "December")
)
"""A text with dates of many years, of which some are still to come."""
NAMESAKES = (
    "Anna Carter wrote the first report. Robert Carter wrote the second report. "
    "On Monday Carter signed both reports, and Mr. Carter paid for them."
)
"""A text with a surname that two of its people have."""
_PLAIN = (
    "The gauge is read twice a day, and what it shows is written down in pencil.",
    "Nobody goes out while the wind is high, and the boats stay where they are.",
    "A rope that is wet is longer than the same rope after a week in the sun.",
    "Most of the cargo is grain, some of it is timber, and a little of it is lost.",
)
SENTENCES = 160
"""Sentences without a name; the text has more than ten thousand letters."""


@dataclass(frozen=True, kw_only=True)
class Mention:
    """A name in the text.

    Attributes:
        label: person or location.
        text: the name.
        start: its first code point.
    """

    label: str
    text: str
    start: int


@dataclass(frozen=True, kw_only=True)
class FreshText:
    """A text with its names.

    Attributes:
        text: the text.
        mentions: the names, in order.
    """

    text: str
    mentions: tuple[Mention, ...]

    @property
    def accented(self) -> tuple[Mention, ...]:
        """The people whose names have letters outside ASCII."""
        return tuple(mention for mention in self.mentions if not mention.text.isascii())

    @property
    def middle(self) -> int:
        """The code point at half of the text."""
        return len(self.text) // 2


def make_text(seed: int) -> FreshText:
    """Write a text with eight sentences of names: four at the beginning, four at the end.

    Args:
        seed: the same seed gives the same names.
    """
    dice = random.Random(seed)
    first, last, places = (dice.sample(names, len(names)) for names in (FIRST, LAST, PLACES))
    people = [" ".join(pair) for pair in zip(first, last, strict=True)]
    people[1], people[3], people[5], people[7] = dice.sample(ACCENTED, len(ACCENTED))
    mentions: list[Mention] = []
    text = "🚀 漢字 👩‍👩‍👧 "  # of more UTF-16 units and bytes than code points
    # Words that begin with the names: who looks for the letters of a name finds them here first.
    text += f"What was said about {', '.join(f'{place}ism' for place in places)} is lost. "
    for number in range(8):
        if number == 4:
            text += " ".join(dice.choice(_PLAIN) for _ in range(SENTENCES)) + " "
        person, place = people[number], places[number]
        for label, before, name in (("person", "", person), ("location", " moved to ", place)):
            text += before
            mentions.append(Mention(label=label, text=name, start=len(text)))
            text += name
        text += " in 2019 and wrote to office@example.org about € 1,250. " + dice.choice(_PLAIN) + " "
    return FreshText(text=text.rstrip(), mentions=tuple(mentions))


_FULL = (
    "On 4 March 2021 {first} {last} and {other} {second} opened the European Harbour Authority (EHA) in {place}. "
    "{last} paid $1,250.75. On 17 May 2021 Dr. {first} {last} of the International Tidal Commission (ITC) left {place}, Ontario."
)
_SHORT = (
    "{last} came on 4 March, and Mr. {second} followed on 17 May. Helen {last} and {other} {second} met {last} again in {place}. "
    "The EHA wrote to {second}, and the ITC paid 1,250.75 to Ms. {last}. {first} was late."
)
PAIR_LABELS = ("person", "location", "organization", "date", "money")


def make_pair(seed: int) -> tuple[str, str]:
    """Write a text with names, dates and organisations in full, and one that has the same in short forms.

    The names are those of no other text, so that no extractor has read them before.
    """
    dice = random.Random(seed)
    first, other = dice.sample(("Martha", "Oscar", "Victor", "Judith", "Edwin", "Harriet"), 2)
    last, second = dice.sample(("Whitfield", "Penrose", "Lindqvist", "Castellano", "Thornton", "Ashworth"), 2)
    told = {
        "first": first,
        "other": other,
        "last": last,
        "second": second,
        "place": dice.choice(("Lyon", "Geneva", "Oslo")),
    }
    return f"Helen Hale met Helen {last}. {_FULL.format(**told)}", _SHORT.format(**told)


DENSE = 700
"""Times that a sentence with two people stands in a text; most borders that a reader may set lie in a name."""


def make_namesakes(seed: int) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Write sentences about people: three who share a surname, and three who share a first name.

    Returns:
        For each of these groups its sentences, each with the person whom it names; joined with blanks all are one text.
    """
    dice = random.Random(seed)
    first, last = dice.sample(FIRST, 4), dice.sample(LAST, 4)
    before, after = _AROUND["person"]

    def told(name: str) -> tuple[str, str]:
        return f"{before}{name}{after} {dice.choice(_PLAIN)}", name

    return tuple(told(f"{one} {last[0]}") for one in first[:3]), tuple(told(f"{first[3]} {one}") for one in last[1:])


PARTICLES = ("van", "von", "de", "van der", "de la", "di")


def make_particles(seed: int) -> tuple[tuple[str, str], ...]:
    """Return sentences, each with the person whom it names: with a particle before the surname."""
    dice = random.Random(seed)
    names = zip(dice.sample(FIRST, len(PARTICLES)), PARTICLES, dice.sample(LAST, len(PARTICLES)), strict=True)
    return tuple((_SURROUNDINGS[0].format(name), name) for name in map(" ".join, names))


_SURROUNDINGS = (
    "In the evening {} came to the office and signed the list.",
    "The keeper of the lighthouse ({}) signed the list in the evening.",
    "The list was signed in the evening by the keeper [{}] and sent to the office.",
    "The list was signed by \u201c{}\u201d in the evening.",
    "The last line of the list says: {}, in the evening.",
    "The list was signed in the evening \u2013 {} came to the office for it.",
    "In the evening the list was signed by {}.",
    "In the evening the list was signed by Dr. {} at the office.",
    "In the evening Mr. {} came to the office and signed the list.",
)
"""Sentences with a place for a name: a plain one first, and then others with signs around it, or a title in front."""


def make_surroundings(seed: int) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Return for each kind of surroundings four sentences, each with the person whom it names; the plain ones first."""
    dice = random.Random(seed)
    names = [f"{one} {other}" for one, other in zip(dice.sample(FIRST, 4), dice.sample(LAST, 4), strict=True)]
    return tuple(tuple((form.format(name), name) for name in names) for form in _SURROUNDINGS)


def in_long_text(seed: int, sentences: Sequence[str]) -> str:
    """Return a text of more than ten thousand letters in which sentences stand far from each other."""
    dice = random.Random(seed)
    parts = [" ".join(dice.choice(_PLAIN) for _ in range(SENTENCES // len(sentences))) for _ in sentences]
    return " ".join(part for pair in zip(parts, sentences, strict=True) for part in pair)


SINGLE, BETWEEN = 30, (22, 34)
"""People of a very long text whom it names once, and plain sentences between two of them: least and most."""


def make_single(seed: int) -> tuple[str, tuple[str, ...]]:
    """Write a text of some fifty to seventy thousand letters that names each of its people once, evenly from its beginning to its end.

    Returns:
        The text, and the people in order.
    """
    dice = random.Random(seed)
    first, last = dice.sample(FIRST, len(FIRST)), dice.sample(LAST, len(LAST))
    people = tuple(f"{first[at % 10]} {last[(at + at // 10) % 10]}" for at in range(SINGLE))
    between = dice.randint(*BETWEEN)
    plain = (" ".join(dice.choice(_PLAIN) for _ in range(between)) for _ in people)
    told = (f"{part} {single_sentence(name)}" for part, name in zip(plain, people, strict=True))
    return " ".join(told), people


def single_sentence(name: str) -> str:
    """Return the sentence in which a very long text names a person."""
    return _SURROUNDINGS[0].format(name)


def make_dense(seed: int) -> tuple[str, tuple[str, str]]:
    """Return a sentence that is names for the most part, and the names.

    Its length has no factor in common with powers of two and of ten: borders at their multiples lie at another place of
    the sentence each time.
    """
    dice = random.Random(seed)
    one, other = (" ".join(pair) for pair in zip(dice.sample(FIRST, 2), dice.sample(LAST, 2), strict=True))
    sentences = (f"{one} {verb} {other}. " for verb in ("met", "knew", "asked", "called", "thanked"))
    return next(sentence for sentence in sentences if math.gcd(len(sentence), 10) == 1), (one, other)


def make_variety(seed: int) -> FreshText:
    """Write a text with people of all groups and things of other kinds, each in a sentence of its own."""
    dice = random.Random(seed)
    told = [("person", name) for names in GROUPS.values() for name in names]
    told += [
        ("person", f"{first} {last}") for first, last in zip(dice.sample(FIRST, 5), dice.sample(LAST, 5), strict=True)
    ]
    told += [(label, text) for label, forms in FIGURES.items() for text, _ in forms]
    dice.shuffle(told)
    mentions: list[Mention] = []
    text = "👩‍👩‍👧 "
    for label, name in told:
        before, after = _AROUND[label]
        text += before
        mentions.append(Mention(label=label, text=name, start=len(text)))
        text += f"{name}{after} {dice.choice(_PLAIN)} "
    return FreshText(text=text.rstrip(), mentions=tuple(mentions))


_AROUND = {
    "person": ("In the evening ", " came to the office and signed the list."),
    "date": ("The lamp was repaired on ", " by the keeper."),
    "email": ("Please write to ", " about the boat."),
    "url": ("The table is at ", " for all to read."),
    "money": ("The new rope costs ", " at the harbour."),
}
"""What stands before and behind a thing."""
