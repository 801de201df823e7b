"""SQL for how often a term stands in a chunk, from the places of the words in its `tsvector`.

To list the words of a vector costs PostgreSQL a row each: 300 rows for a chunk, most of them of other words. `ts_rank`
looks a word up instead. For one word, with all weights 1, it returns the sum of 1/k² for k from 1 to the number of
places, by π²/6. So its value tells the number.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import pi

from .scope import Condition
from .words import Term

MOST_PLACES = 256
"""Places of a word that PostgreSQL stores."""

_RANKS = [0.0, *(total * 6 / pi**2 for total in accumulate(1 / number**2 for number in range(1, MOST_PLACES + 1)))]
"""Number of places → what `ts_rank` returns."""

BOUNDS = [(lower + upper) / 2 for lower, upper in pairwise(_RANKS)]
"""The middles between two neighbours; a rank has passed as many of them as the word has places."""

_OF_WORD = "width_bucket(ts_rank('{{1, 1, 1, 1}}', chunk.words, CAST(:{term} AS tsquery)), CAST(:bounds AS float8[]))"
_OF_TERM = """
(CASE WHEN chunk.words @@ CAST(:{term} AS tsquery) THEN (SELECT count(*) FROM ({places}) AS found) ELSE 0 END)
"""
_PLACES = """
SELECT stands - {back} FROM unnest(chunk.words) AS word, unnest(word.positions) AS stands WHERE {condition}
"""


def frequency_of(term: Term, name: str) -> Condition:
    """The number of places of a term in `chunk.words`, with the values of its parameters, whose names begin with `name`."""
    values: dict[str, object] = {name: term.expression}
    if len(term.words) == 1 and not term.is_prefix:
        return Condition(_OF_WORD.format(term=name), {**values, "bounds": BOUNDS})
    last = len(term.words) - 1
    parts = []
    for number, word in enumerate(term.words):
        values[f"{name}_{number}"] = word
        begins = term.is_prefix and number == last
        condition = f"starts_with(word.lexeme, :{name}_{number})" if begins else f"word.lexeme = :{name}_{number}"
        parts.append(_PLACES.format(back=number, condition=condition))
    # INTERSECT removes duplicates; a prefix alone can find two words at one place.
    places = " INTERSECT ".join(parts) if last else f"SELECT DISTINCT * FROM ({parts[0]}) AS one"
    return Condition(_OF_TERM.format(term=name, places=places), values)
