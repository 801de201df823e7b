"""Maps the labels of a request to the model's own types (OntoNotes 5)."""

from __future__ import annotations

from typing import Final

TYPES: Final[dict[str, tuple[str, ...]]] = {
    "person": ("PERSON",),
    "organization": ("ORG",),
    "location": ("GPE", "LOC", "FAC"),
    "date": ("DATE",),
    "time": ("TIME",),
    "money": ("MONEY",),
    "percent": ("PERCENT",),
    "quantity": ("QUANTITY",),
    "nationality": ("NORP",),
    "event": ("EVENT",),
    "product": ("PRODUCT",),
    "law": ("LAW",),
    "language": ("LANGUAGE",),
    "work of art": ("WORK_OF_ART",),
    "country": ("GPE",),
    "facility": ("FAC",),
}
"""Label of a request → the model's types. Where two labels of one request claim a type, the first one gets it."""

SYNONYMS: Final[dict[str, str]] = {
    "people": "person",
    "per": "person",
    "org": "organization",
    "organisation": "organization",
    "company": "organization",
    "loc": "location",
    "place": "location",
    "gpe": "location",
    "amount": "money",
}
"""Other words for them."""


def asked_types(labels: tuple[str, ...]) -> dict[str, str]:
    """The model's type → the label of the request that it is reported under.

    A label that the model has no type for asks for nothing: it finds what it was trained to find.
    """
    found: dict[str, str] = {}
    for label in labels:
        word = label.casefold().replace("_", " ")
        for kind in TYPES.get(SYNONYMS.get(word, word), ()):
            found.setdefault(kind, label)
    return found
