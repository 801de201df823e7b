"""Finds legal standards and the provisions of law that a legal document names (INT-1).

Only a document that is about law is searched: one with a court's caption, with a reported case, or with a provision.
Everyday words such as "de novo" or "good cause" are a standard only in the wording of courts.
"""

from __future__ import annotations

import re

from octavo_text.canonical import CanonicalText
from octavo_text.deadline import checkpoint

from .quoting import Quoted, quote

MOST = 50
"""Maximum of each kind."""

_PARTS = r"(?:\([0-9A-Za-z]{1,5}\)){0,6}"
PROVISION = re.compile(
    rf"\b\d{{1,3}} U\.? ?S\.? ?C\.?(?: ?A\.?)?,? ?(?:§{{1,2}} ?)?\d[\w-]{{0,10}}{_PARTS}"
    rf"|\b\d{{1,3}} C\.? ?F\.? ?R\.?,? ?(?:§{{1,2}} ?|Part )?\d[\w.-]{{0,14}}\w{_PARTS}"
    rf"|\bFed\. ?R\. ?(?:Civ|Crim|App|Evid|Bankr)\.(?: ?P\.)? ?\d[\d.]{{0,6}}{_PARTS}"
    rf"|\b(?:Federal )?Rules? (?:of (?:Civil|Criminal|Appellate) Procedure |of Evidence )?\d{{1,4}}\([a-z0-9]\){_PARTS}"
    rf"|\b(?:[Ss]ections?|[Aa]rticles?|[Ss]s?\.|§{{1,2}}) ?\d[\w.-]{{0,10}}{_PARTS} of the"
    r"(?: [A-Z][\w’'-]{1,30}| of| and| \([A-Z][\w ]{1,30}\)){1,8} (?:Act|Code|Regulations?|Directive|Convention)\b(?:,? (?:of )?\d{4})?"
)
"""A provision of a code, of regulations, of rules of procedure, or of an act that is named."""
_CASE = re.compile(
    r"\b\d{1,4} (?:U\. ?S\.|S\. ?Ct\.|F\.(?: ?Supp\.)?(?: ?[234]d|th)?|F\. ?4th|N\.E\.(?: ?[23]d)?|A\.(?: ?[23]d)|P\.(?: ?[23]d)) \d{1,5}\b"
    r"|\[\d{4}\] (?:\d )?(?:UKSC|UKHL|EWCA|EWHC|AC|QB|WLR|All ER|CSIH|CSOH)\b"
)
"""A reported case, by its volume or its neutral citation."""
_STANDARD = re.compile(
    r"\b(?:(?:a |the )?preponderance of (?:the )?evidence|clear and convincing (?:evidence|proof)|beyond (?:a|all) reasonable doubt"
    r"|(?:the )?balance of (?:the )?probabilities|abuses? of (?:its )?discretion|abuse-of-discretion"
    r"|de novo (?:review|standard)|review(?:ed|s)?(?: (?:\w+ ){0,3}\w+)? de novo|clear(?:ly)? erroneous|clear[- ]error (?:review|standard)"
    r"|arbitrary(?: and|,|, or| or) capricious|substantial evidence (?:standard|review|test)|supported by substantial evidence"
    r"|strict scrutiny|intermediate scrutiny|heightened scrutiny|rational[- ]basis (?:review|test|scrutiny)"
    r"|genuine (?:dispute|issue)s? (?:as to|of) (?:any |a )?material facts?|plausib(?:le on its face|ility standard)"
    r"|fail(?:s|ed|ure)? to state a claim|light most favou?rable to the (?:non-?moving party|plaintiffs?|non-?movants?)"
    r"|likelihood of success on the merits|irreparable (?:harm|injury)|probable cause|reasonable suspicion|good cause shown"
    r"|prima facie (?:case|showing)|res judicata|collateral estoppel|stare decisis|business judgment rule|negligence per se"
    r"|strict liability|(?:strong )?inference of scienter|particularity requirements?|proximate cause|duty of care|burden of (?:proof|persuasion)"
    r"|best interests? of the child(?:ren)?|forum non conveniens|manifest injustice|harmless error|excusable neglect)\b",
    re.IGNORECASE,
)


def legal_standards(text: CanonicalText, *, has_caption: bool) -> tuple[Quoted, ...]:
    """Return the legal standards that a legal document names, each once, as first written.

    Args:
        text: the canonical text.
        has_caption: whether the document has a court's caption.
    """
    if not has_caption and not _is_legal(text):
        return ()
    return _each(text, _STANDARD)


def provisions(text: CanonicalText) -> tuple[Quoted, ...]:
    """Return the provisions of law that the document names, each once, as first written."""
    return _each(text, PROVISION)


def _is_legal(text: CanonicalText) -> bool:
    return any(pattern.search(text.text, page.start, page.end) for page in text.pages for pattern in (PROVISION, _CASE))


def _each(text: CanonicalText, pattern: re.Pattern[str]) -> tuple[Quoted, ...]:
    found: dict[str, Quoted] = {}
    for page in text.pages:
        for match in pattern.finditer(text.text, page.start, page.end):
            checkpoint()
            key = _key(match.group())
            if key not in found:
                found[key] = quote(text, *match.span())
            if len(found) == MOST:
                return tuple(found.values())
    return tuple(found.values())


def _key(said: str) -> str:
    folded = " ".join(re.sub(r"[.,-]", " ", said.casefold()).split())
    return re.sub(r"\b(?:an?|the|its) ", "", folded)
