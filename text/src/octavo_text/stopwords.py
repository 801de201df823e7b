"""English stopwords: words that say nothing about a text's subject, and fragments of contractions.

The list is part of Octavo, so that a score does not change with the version of a library (DIG-13).
"""

from __future__ import annotations

_PRONOUNS = """
i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves who whom whose which what this that these those
"""
_VERBS = """
am is are was were be been being have has had having do does did doing done can could will would shall should may
might must ought
"""
_LINKS = """
a an the and or nor but if then else than as so because until while although though since unless whether
of at by for with without within about against between among into onto upon through during before after above below
to from up down in out on off over under again further once via per
"""
_ADVERBS = """
here there when where why how all any both each few more most other another some such no not only own same too very
just also even ever never yet still now
"""
_CONTRACTIONS = """
s t d m o y ll re ve don didn doesn isn aren wasn weren haven hasn hadn won wouldn shouldn couldn mustn needn mightn
shan ain let
"""

STOPWORDS: frozenset[str] = frozenset(" ".join((_PRONOUNS, _VERBS, _LINKS, _ADVERBS, _CONTRACTIONS)).split())
"""Lower-case English stopwords."""
