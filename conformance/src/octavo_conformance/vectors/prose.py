"""Lines as people write them: clauses, notices, figures, codes, names, other languages, and what a converter takes for furniture.

Made-up words show that nothing is lost or invented. They do not show what a converter does with a word that it knows: a
notice that it drops as boilerplate, an address that it hides, a date that it turns round. These lines have such words, with
figures that are drawn for the run.
"""

from __future__ import annotations

from random import Random

_LINES = (
    # What limits a sentence, and what denies it.
    "The deposit of €{n},{n3}.50 is returned, unless the tenant leaves before 03/04/20{n2}.",
    "The seller shall not be liable for more than {n2} % of the price, except where he knew of it.",
    "No patient under {n2} may take it; do not give more than 0.{n2} mg, never twice a day.",
    "This offer ends on 11/12/20{n2}, subject to contract and provided that the buyer has paid.",
    # What looks like furniture.
    "CONFIDENTIAL – DO NOT COPY",
    "Page {n2} of {n3}",
    "DRAFT {n}.{n} – not for signature",
    "© 20{n2} Quay & Pier Ltd. All rights reserved.",
    "This message may be privileged. If you are not the addressee, delete it and tell us.",
    "To unsubscribe, write to leave@example.org with the code U-{n3}-{n2}.",
    "Advertisement: {n2} berths to let, ask at office {n}B.",
    "Share this page | Print | Cookie settings",
    "Table of contents",
    "Continued on page {n3}",
    "See footnote {n} and appendix C.{n}",
    # People, addresses, numbers that name somebody.
    "Ms. Zoë O'Neill-Müller (born 29.02.19{n2}) lives at 7 bis, rue de l'Église.",
    "Call +49 30 901820{n2} or write to zoe.oneill+tides@example.org.",
    "IBAN DE89 3704 0044 0532 0130 {n2}, BIC COBADEFFXXX, card 4111 1111 1111 {n3}1.",
    "Read https://example.org/tides?id={n3}&utm_source=mail&lang=en before you sail.",
    "Passport no. C{n3}0O1l{n2}, plate B-IO {n3}, part S5O{n}-8.",
    # Many addresses, each of another domain, which nobody has to look up.
    "Copies go to ada@tides{n}.example, ben@quay{n}.example.net, cy@mail.pier{n}.example.org and dee@bay{n}.example.com.",
    "Minutes: www.harbour{n}.example.org/a, https://pier{n}.example.net/b, ftp://files{n}.example.com, gauge{n}.example.edu.",
    "From fay@gulf{n}.example.co.uk, gus@reef{n}.example.de and ivo@lock{n}.example.fr, by way of 192.0.2.{n2}.",
    # Figures.
    "Balance: −{n},{n3}.20; before: ({n}{n3}.10); change: -{n}.{n2} and +{n}.0{n}.",
    "From 07:05 to 00:{n2}:09 the gauge showed −{n}.{n} °C, ±0.05, on level 0{n3}.",
    "1.{n3},50 € are 1,{n3}.50 in London, and 1 {n3},50 in Paris.",
    "About {n} × 10⁻³ m² of the {n}½ m³, that is ¾ of it, were ≤ {n2} µg/l.",
    "Version 2.0.{n}, build 00{n3}, check sum 1e-0{n}, ratio {n}:1, item #{n2}.",
    "On 2026-0{n}-1{n}, on 1{n}.0{n}.2026 and on 0{n}/1{n}/26 the tide was late.",
    "See §§ {n2}–{n2}a, Art. {n} (2) lit. b, and note {n3}.",
    "12 000 000, 12,000,000 and 1.2e7 are one number; 007 and 7 are not.",
    "From {n}'{n3}.40 to 1{n}.345.678,90, to ₹ 1{n},34,567 and to .{n2}: none is {n2}0.",
    "On 0{n}.1{n}.99, on 31/12/0{n}, on 99-0{n}-{n2} and on {n}/{n}/04 it rained.",
    "At {n}:05 p.m., in {n2}h30, on the 1st, 2nd, 3rd and {n}th day, for 10^{n} times 0x{n}F.",
    "+{n}.{n} against -{n}.{n}, (0.0{n}) against 0.0{n}, -0 against 0, {n2}% against {n2} ‰.",
    "Room {n}, {n}, {n}{n} and {n}: see p. iv, p. {n} and p. A-{n}.",
    # Words that repeat, and letters that are alike.
    "She had had had where he had had that that was that.",
    "He read it, he read it, and he read it again.",
    "AbC abc ABC aBc: the same letters, four names.",
    "The “first” and the ‘second’, the \u201elast\u201c and the «only» one… — it is — said.",
    "co-operate, re-sign and resign, rock-'n'-roll, e.g., i.e., etc., Nos. {n}–{n2}",
    "TO WHOM IT MAY CONCERN: THE LIGHT IS OUT OF ORDER.",
    "colour, color, centre, center, gaol, jail, recieve [sic]",
    "damn, hell, idiot, bastard and fool he called them",
    "XIV. Louis XVI, MCMXC, vol. iii, ch. IX",
    "NO",
    "x",
    "Yes, no, no, yes, no; aye – nay.",
    "A a I i l 1 O 0 o",
    "Total {n3}.00 Total {n3}.00 Subtotal {n2}.00",
    "Dear Sir or Madam, I am not, was not and never shall be, your obedient servant.",
    "He is n't, can't, won't, mustn't and o'clock; the Joneses' and James's.",
    "lower Upper UPPER camelCase iPhone eBay McDonald's H2O pH",
    "Approved. Rejected. Approved.",
    # Other languages.
    "Die Größe der Straße beträgt {n},{n} km; Übermaß heißt nicht „viel“.",
    "¿Dónde está el señor Peña? ¡A las {n}:{n2}! Él no lo sabía.",
    "L'œuvre fut achevée en août ; ça coûta « {n} {n3} francs ».",
    "Zażółć gęślą jaźń, İstanbul ılık, Århus ærlig, Þórður",
    "Γειά σου Κόσμε, не забудь {n2} рублей, це їжа",
)
_WIDE = (
    # A line that is taken for the number of a page in a PDF file.
    "{n2}",
    # Scripts for which simple PDF files have no letters.
    "שלום עולם {n2} مرحبا بالعالم {n3}",
    "नमस्ते दुनिया, สวัสดีชาวโลก, 안녕하세요 {n2}",
    "第{n}条 甲は乙に{n3}円を支払う。「但し書き」",
    "🚢 2 of {n2} boats 👩‍👩‍👧 left ✅, 1 did not ❌",
)


def prose(dice: Random, *, wide: bool = True) -> list[str]:
    """Return the lines in another order and with other figures; some of them occur again.

    Args:
        dice: draws the order and the figures.
        wide: with lines in scripts of Asia and with pictographs.
    """
    lines = [_drawn(line, dice) for line in (*_LINES, *(_WIDE if wide else ()))]
    dice.shuffle(lines)
    for line in dice.sample(lines, 6):
        lines.insert(dice.randint(0, len(lines)), line)
    twice = dice.randint(0, len(lines) - 1)
    return [*lines[:twice], lines[twice], *lines[twice:]]


def _drawn(line: str, dice: Random) -> str:
    for place, (low, high) in (("{n}", (2, 9)), ("{n2}", (11, 29)), ("{n3}", (101, 989))):
        while place in line:
            line = line.replace(place, str(dice.randint(low, high)), 1)
    return line
