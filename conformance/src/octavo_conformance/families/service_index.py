"""OC-SVC: what a vector index keeps, and what it gives up."""

from __future__ import annotations

import math

from octavo.plugins import service_answers as answers

from ..checks import check, expect_equal, expect_none
from ..service_calls import answers_of, refuse
from ..subject import Subject
from .services import NEAR, adding, searching

MANY = 600
"""Entries of a large index."""
FEW = 5
"""Entries that a search is restricted to."""


@check(
    "OC-SVC-008", scope="plugin", level=2, spec=("ENG-26", "ENG-6"), requires=("OC-SVC-007",), service="vector_index"
)
def entries_are_kept(subject: Subject) -> None:
    """Entries are replaced and removed by id, unknown ids are ignored, and an index that is reopened has its entries: a small and a large one.

    Fix:
    Write to the folder of the settings before `add` and `remove` return.
    """
    removing = {"call": "remove", "args": [["1", "unknown"]]}
    moved = adding({"3": [0.9, 0.1, 0.0]})
    reopened = answers_of(subject, "vector_index", adding(NEAR), removing, moved, {"make": True}, searching())[-1]
    try:
        found = [hit.embedding_id for hit in answers.checked_hits(reopened, limit=10, among=None)]
    except answers.WrongAnswer as error:
        refuse(error)
    expect_equal(set(found), {"2", "3", "4"}, "the entries after one was removed")
    expect_equal(found[0], "3", "the nearest entry after it was replaced")
    many = {f"{number}": [0.0, math.cos(number), math.sin(number)] for number in range(10, MANY)}
    gone = {"call": "remove", "args": [["1", "77"]]}
    steps = (adding(NEAR), adding(many), gone, {"make": True}, searching(limit=MANY + len(NEAR)))
    try:
        left = answers.checked_hits(answers_of(subject, "vector_index", *steps)[-1], limit=MANY + len(NEAR), among=None)
    except answers.WrongAnswer as error:
        refuse(error)
    ids = {hit.embedding_id for hit in left}
    expect_none(sorted(ids & {"1", "77"}), "removed entries of a large index are there again")
    expect_equal(len(ids), len(NEAR) + len(many) - 2, "the number of entries of a large index")


ODD_IDS = ("007", "7", "Ä b/c", "ä b/c", "字:1#2", 'it\'s "one" %', "a" * 200, "-1")
"""Ids that an index may take for each other, or for something else."""


@check(
    "OC-SVC-024", scope="plugin", level=2, spec=("ENG-26", "ENG-6"), requires=("OC-SVC-008",), service="vector_index"
)
def ids_are_kept_as_they_are(subject: Subject) -> None:
    """Ids come back as they were added, also from an index that is reopened: with figures, blanks, quotes, signs, letters of any script.

    Two entries with one vector are both found, and one that is removed takes no other with it.

    Fix:
    Keep an id as text, whole and as it is; let vectors be equal.
    """
    items = {one: [math.cos(place / 9), math.sin(place / 9), 0.0] for place, one in enumerate(ODD_IDS)}
    items["twin"] = items[ODD_IDS[0]]
    gone = {"call": "remove", "args": [["twin"]]}
    steps = (
        adding(items),
        {"make": True},
        searching(limit=20),
        gone,
        {"make": True},
        searching(limit=20, among=list(items)),
    )
    _, _, every, *_, left = answers_of(subject, "vector_index", *steps)
    try:
        before = answers.checked_hits(every, limit=20, among=None)
        after = answers.checked_hits(left, limit=20, among=list(items))
    except answers.WrongAnswer as error:
        refuse(error)
    expect_equal(sorted(hit.embedding_id for hit in before), sorted(items), "the ids of all entries")
    expect_equal(sorted(hit.embedding_id for hit in after), sorted(ODD_IDS), "the ids after one was removed")


@check("OC-SVC-023", scope="plugin", level=2, spec=("ENG-26",), requires=("OC-SVC-007",), service="vector_index")
def few_among_many_are_found(subject: Subject) -> None:
    """In a large index a search among a few entries finds them all, however many others are nearer.

    A corpus, or what a reader may see, is a small part of a library.

    Fix:
    Restrict the ids before the search, not the hits after it.
    """
    near = {f"{number}": [1.0, number / MANY, 0.0] for number in range(MANY)}
    far = {f"far {number}": [-1.0, 0.0, number / 10] for number in range(FEW)}
    steps = (adding(near | far), searching(limit=FEW, among=list(far)))
    try:
        hits = answers.checked_hits(answers_of(subject, "vector_index", *steps)[-1], limit=FEW, among=list(far))
    except answers.WrongAnswer as error:
        refuse(error)
    expect_equal({hit.embedding_id for hit in hits}, set(far), "the entries that the search was restricted to")
