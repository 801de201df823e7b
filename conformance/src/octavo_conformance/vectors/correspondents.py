"""Fresh mails and mailboxes in which one address has several names, and one name several addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .golden import HEADER_WORDS
from .model import words_of
from .sheaf_bytes import SHEAF, sheaf
from .truths import Truth
from .words import Words

MBOX_TYPE = "application/mbox"
Person = tuple[str, str]
"""A name and an address."""


@dataclass(frozen=True, kw_only=True)
class Mail:
    """A mail of one paragraph.

    Attributes:
        number: its place in the mailbox, from 1.
        subject: its subject.
        people: sender, addressee, and two who get a copy.
        text: its paragraph.
    """

    number: int
    subject: str
    people: tuple[Person, ...]
    text: str

    @property
    def date(self) -> str:
        """Its day and hour, as mails state it."""
        return f"{self.number % 28 + 1:02} Jan 2026 {self.number % 24:02}:00:00 +0000"

    @property
    def source(self) -> str:
        """The mail as it is stored."""
        (name, address), *others = self.people
        to, copy, further = (f"{other} <{place}>" for other, place in others)
        return (
            f"From: {name} <{address}>\nTo: {to}\nCc: {copy}, {further}\nSubject: {self.subject}\nDate: {self.date}\n"
            f"Message-ID: <{self.number}@example.org>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
            f"Content-Transfer-Encoding: 8bit\n\n{self.text}\n"
        )


def _mails(words: Words, count: int) -> list[Mail]:
    """Generate mails between four addresses, each of which has many names."""
    addresses = [f"{words.word()}@{words.word()}.example.org" for _ in range(4)]
    names = [words.heading() for _ in range(9)]
    made = []
    for number in range(1, count + 1):
        four = words.dice.sample(names, 4)
        people = tuple((name, words.dice.choice(addresses)) for name in four)
        made.append(Mail(number=number, subject=words.heading(), people=people, text=words.line(9)))
    return made


def _truth(mails: Sequence[Mail]) -> dict[str, object]:
    people = tuple(person for mail in mails for person in mail.people)
    told = words_of(
        " ".join(f"{one.subject} {one.date} 2026-01-{one.number % 28 + 1:02}T{one.number % 24:02}" for one in mails)
    )
    told += [f"{one.number % 28 + 1:02}T{one.number % 24:02}" for one in mails]
    named = words_of(" ".join(f"{name} {address}" for name, address in people))
    numbers = (str(one.number) for one in mails)
    return {"people": people, "allowed": (*HEADER_WORDS, *told, *named, *numbers, "Message", "00", "01", "Z", "Cc")}


def _eml(words: Words) -> Truth:
    """A mail whose sender and addressees have one address."""
    (one,) = _mails(words, 1)
    address = one.people[0][1]
    people = ((one.people[0]), *((name, address) for name, _ in one.people[1:]))
    one = Mail(number=1, subject=one.subject, people=people, text=one.text)
    return one.source.encode(), "whole", [one.text], {**_truth([one]), "date": "2026-01-02T01:00:00+00:00"}


def _mbox(words: Words) -> Truth:
    mails = _mails(words, words.dice.randint(24, 40))
    data = "".join(f"From {one.people[0][1]} Thu Jan  1 10:00:00 2026\n{one.source}\n" for one in mails)
    return data.encode(), None, [one.text for one in mails], _truth(mails)


def _sheaf(words: Words) -> Truth:
    mails = _mails(words, 24)
    lines = [f"{name} <{address}>" for one in mails for name, address in one.people]
    return sheaf(pages=[{"blocks": [["p", line] for line in lines]}]), "page", [" ".join(lines)], _truth(mails)


CORRESPONDENTS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "eml/named.eml": ("message/rfc822", _eml),
    "mbox/named.mbox": (MBOX_TYPE, _mbox),
    "sheaf/named.sheaf": (SHEAF, _sheaf),
}
"""Path → media type, and the function that makes the document."""
