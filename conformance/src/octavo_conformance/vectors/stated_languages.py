"""Fresh documents in several languages, of which some state their language and others do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from .book_bytes import EPUB_TYPE, ODT_TYPE, chapter, epub, odt
from .feeds import ATOM_TYPE, RSS_TYPE, Entry, atom, rss
from .model import GoldenVector
from .office_bytes import docx
from .once import generated_once
from .package_changes import changed
from .pdf_bytes import PdfFile, PdfLine, PdfPage
from .sheaf_bytes import SHEAF, sheaf
from .truths import OFFICE, mail, marked_up
from .words import Words
from .zoned_dates import moment

TEXTS: Mapping[str, tuple[str, Sequence[str], Sequence[str]]] = {
    "de": (
        "Hafenordnung",
        ("Das Schiff liegt seit dem Morgen am Kai.", "Die Ladung wird am Abend gewogen.", "Der Wirt hat die Rechnung noch nicht bezahlt."),
        ("Niemand darf ohne Erlaubnis an Bord gehen.", "Wir bitten um eine Antwort bis zum Ende der Woche."),
    ),
    "es": (
        "Reglamento del puerto",
        ("El barco lleva toda la noche en el muelle.", "La carga se pesa por la tarde.", "El capitán todavía no ha pagado la cuenta."),
        ("Nadie puede subir a bordo sin permiso.", "Esperamos su respuesta antes del fin de semana."),
    ),
    "fr": (
        "Règlement du port",
        ("Le navire est à quai depuis ce matin.", "La cargaison sera pesée dans la soirée.", "Le capitaine n'a pas encore payé la facture."),
        ("Personne ne monte à bord sans autorisation.", "Nous attendons votre réponse avant la fin de la semaine."),
    ),
    "it": (
        "Regolamento del porto",
        ("La nave è ferma al molo da questa mattina.", "Il carico viene pesato di sera.", "Il capitano non ha ancora pagato il conto."),
        ("Nessuno sale a bordo senza permesso.", "Aspettiamo la vostra risposta entro la fine della settimana."),
    ),
    "nl": (
        "Havenreglement",
        ("Het schip ligt sinds vanochtend aan de kade.", "De lading wordt in de avond gewogen.", "De kapitein heeft de rekening nog niet betaald."),
        ("Niemand mag zonder toestemming aan boord komen.", "Wij verwachten uw antwoord voor het einde van de week."),
    ),
}  # fmt: skip
"""Language → a heading, sentences of which each document has some, and sentences that end it."""
_REGIONS = {"de": "de-AT", "es": "es-MX", "fr": "fr-CA", "it": "it-CH", "nl": "nl-BE"}


@dataclass(frozen=True, kw_only=True)
class LanguageDocument:
    """A document in one language.

    Attributes:
        vector: the document.
        language: of its text, BCP 47.
        stated: the language that it states, BCP 47; None for none.
    """

    vector: GoldenVector
    language: str
    stated: str | None


Write = Callable[[Words, str, Sequence[str], str | None], bytes]
"""Writes a document of a heading and lines in a language that it states, or does not."""


def _html(words: Words, heading: str, lines: Sequence[str], stated: str | None) -> bytes:
    lang = f' lang="{stated}"' if stated else ""
    body = marked_up(heading, lines)
    head = f'<head><meta charset="utf-8"><title>{heading}</title></head>'
    return f"<!DOCTYPE html><html{lang}>{head}<body><article>{body}</article></body></html>".encode()


def _epub(words: Words, heading: str, lines: Sequence[str], stated: str | None) -> bytes:
    body = marked_up(heading, lines)
    return epub([chapter(heading, body)], title=heading, language=stated or "")


def _odt(words: Words, heading: str, lines: Sequence[str], stated: str | None) -> bytes:
    name = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    told = f"<office:meta><dc:language {name}>{stated}</dc:language></office:meta>" if stated else "<office:meta/>"
    data = odt("".join(f"<text:p>{escape(line)}</text:p>" for line in (heading, *lines)))
    return changed(data, meta=lambda text: text.replace("<office:meta/>", told))


def _docx(words: Words, heading: str, lines: Sequence[str], stated: str | None) -> bytes:
    data = docx(blocks=[("h1", heading), *(("p", line) for line in lines)], title="", author="")
    told = f"<dc:language>{stated}</dc:language>" if stated else ""
    return changed(data, core=lambda text: text.replace("</cp:coreProperties>", f"{told}</cp:coreProperties>"))


def _pdf(words: Words, heading: str, lines: Sequence[str], stated: str | None) -> bytes:
    made = PdfPage(lines=[PdfLine(text=line) for line in (heading, *lines)])
    return PdfFile(pages=[made], language=stated or "").to_bytes()


def _eml(words: Words, heading: str, lines: Sequence[str], stated: str | None) -> bytes:
    data, _ = mail(words.heading(), [heading, *lines])
    return data.replace(b"MIME-Version", f"Content-Language: {stated}\r\nMIME-Version".encode() if stated else b"MIME-Version")  # fmt: skip


def _rss(words: Words, heading: str, lines: Sequence[str], stated: str | None) -> bytes:
    text = rss(heading, lines[0], moment(words), _entries(words, heading, lines))
    return text.replace("<link>", f"<language>{stated}</language>\n<link>" if stated else "<link>", 1).encode()


def _atom(words: Words, heading: str, lines: Sequence[str], stated: str | None) -> bytes:
    text = atom(heading, lines[0], moment(words), _entries(words, heading, lines))
    return text.replace("<feed ", f'<feed xml:lang="{stated}" ' if stated else "<feed ", 1).encode()


def _entries(words: Words, heading: str, lines: Sequence[str]) -> list[Entry]:
    return [Entry(heading, lines, f"https://{words.word()}.example/", moment(words))]


def _plain(words: Words, heading: str, lines: Sequence[str], stated: str | None) -> bytes:
    return "\n\n".join((heading, *lines, "")).encode()


def _sheaf(words: Words, heading: str, lines: Sequence[str], stated: str | None) -> bytes:
    return sheaf(pages=[{"blocks": [["h", heading], *(["p", line] for line in lines)]}], language=stated)


_WRITERS: dict[str, tuple[str, Write]] = {
    f"{OFFICE}.wordprocessingml.document": ("docx", _docx),
    "message/rfc822": ("eml", _eml),
    EPUB_TYPE: ("epub", _epub),
    "text/html": ("html", _html),
    "text/markdown": ("md", _plain),
    ODT_TYPE: ("odt", _odt),
    "application/pdf": ("pdf", _pdf),
    RSS_TYPE: ("rss", _rss),
    ATOM_TYPE: ("atom", _atom),
    SHEAF: ("sheaf", _sheaf),
    "text/plain": ("txt", _plain),
}
"""Media type → extension, and the function that writes the document."""
_STATES_NONE = frozenset({"text/plain", "text/markdown"})
"""Formats that have no place for a language."""


@generated_once
def make_languages(seed: int, media_types: Sequence[str]) -> list[LanguageDocument]:
    """Make for each format a document that states its language, one that states it with its region, and two that state none.

    Each is in another language, none in English.

    Args:
        seed: the same seed gives the same documents.
        media_types: of the formats.
    """
    words = Words(seed)
    made = []
    for media_type, (family, write) in _WRITERS.items():
        if media_type not in media_types:
            continue
        languages = words.dice.sample(sorted(TEXTS), 4)
        for number, (language, way) in enumerate(zip(languages, ("plain", "none", "region", "none"), strict=True)):
            stated = {"plain": language, "none": None, "region": _REGIONS[language]}[way]
            if media_type in _STATES_NONE and stated:
                continue
            heading, sentences, last = TEXTS[language]
            lines = [*words.dice.sample(sentences, 3), f"{words.dice.choice(last)} {words.dice.randint(10, 99)}"]
            data = write(words, heading, lines, stated)
            vector = GoldenVector.of(
                f"{family}/language-{number}.{family}",
                media_type,
                data,
                about="A document in one language.",
                kind=None,
                pages=[" ".join((heading, *lines))],
            )
            made.append(LanguageDocument(vector=vector, language=language, stated=stated))
    return made
