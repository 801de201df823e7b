"""Fresh documents in scripts whose letters take marks, most of which Unicode does not compose with their letter.

The words of all other documents are compared without marks, which are neither letters nor digits.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable

from .book_bytes import BOOK_WORDS, EPUB_TYPE, ODT_TYPE, chapter, epub, odt, odt_table
from .grids import html_table, md_table
from .json_documents import JSON_TYPE
from .model import words_of
from .office_bytes import docx, pptx, xlsx
from .rtf_bytes import RTF_TYPE, rtf, rtf_heading, rtf_paragraph, rtf_table
from .sheaf_bytes import SHEAF, sheaf
from .truths import HTML, OFFICE, Truth, cells, mail, marked_up
from .words import Words

Grid = tuple[tuple[str, ...], ...]
_SCRIPTS = (
    ("कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह", "ािीुूृेैोौ्ंःँ"),
    ("কখগঘচছজঝটঠডঢণতথদধনপফবভমযরলশষসহ", "ািীুূৃেৈ্ংঃঁ"),
    ("ਕਖਗਘਚਛਜਝਟਠਡਢਣਤਥਦਧਨਪਫਬਭਮਯਰਲਵਸਹ", "ਾਿੀੁੂੇੈੋੌ੍ਂੰੱ"),
    ("કખગઘચછજઝટઠડઢણતથદધનપફબભમયરલવશષસહ", "ાિીુૂૃેૈોૌ્ંઃ"),
    ("கஙசஞடணதநபமயரலவழளறன", "ாிீுூெேை்"),
    ("కఖగఘచఛజఝటఠడఢణతథదధనపఫబభమయరలవశషసహ", "ాిీుూృెేొోౌ్ం"),
    ("ಕಖಗಘಚಛಜಝಟಠಡಢಣತಥದಧನಪಫಬಭಮಯರಲವಶಷಸಹ", "ಾಿುೂೃೆೌ್ಂ"),
    ("കഖഗഘചഛജഝടഠഡഢണതഥദധനപഫബഭമയരലവശഷസഹ", "ാിീുൂൃെേൈ്ം"),
    ("කඛගඝචඡජඣටඨඩඪණතථදධනපඵබභමයරලවශෂසහ", "ාැෑිීුූේං"),
    ("กขคงจฉชซญฐณดตถทธนบปผฝพฟภมยรลวศสหอฮ", "ัิีึืฺุู็่้๊๋์ํ"),
    ("ກຂຄງຈສຊຍດຕຖທນບປຜຝພຟມຢຣລວຫອຮ", "ັິີຶືຸູົ່້໊໋"),
    ("កខគឃចឆជឈដឋឌឍណតថទធនបផពភមយរលវសហឡអ", "ាិីឹឺុូួើ់ំះ្"),
    ("ကခဂဃငစဆဇဈညဋဌဍဎဏတထဒဓနပဖဗဘမယရလဝသဟဠ", "ာိီုူေဲံ့း်"),
    ("ཀཁགངཅཆཇཉཏཐདནཔཕབམཙཚཛཝཞཟཡརལཤསཧ", "ིེོུ"),
    ("بتثجحخدذرزسشصضطظعغفقكلمنه", "ًٌٍَُِّْ"),
    ("אבגדהוזחטיכלמנסעפצקרשת", "ְֱֲֳִֵֶַָֹֻּ"),
    ("ܐܒܓܕܗܘܙܚܛܝܟܠܡܢܣܥܦܨܩܪܫܬ", "ܰܳܶܺܽ"),
    ("бвгджзклмнпрстаеиоуыэюя", "\u0301\u0306\u0483"),
    ("ɑɛɔəɪʊʃʒŋɲɹʁɡɥbdfhjlmnptvxẹọ", "\u0301\u0300\u0303\u0325\u0329\u032f\u0308\u0330"),
    ("αεηιουωβγδζθκλμνξπρστφχψ", "\u0301\u0300\u0342\u0304"),
)
"""Letters of a script, and marks."""
_UNMARKED = (
    "ሀለሐመሠረሰቀበተኀነአከወዐዘየደገጠጰጸፈፐ",
    "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ",
    "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտր",
    "ᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭ",
    "가나다라마바사아자차카타파하각난닫랄맘밥삿앙",
    "あいうえおかきくけこアイウエオカキクケコ",
)
"""Letters of scripts without marks, which a font or an encoding may lack."""


def _word(words: Words, letters: str, marks: str) -> str:
    """Generate a word of letters most of which have a mark, in its composed form."""
    dice = words.dice
    made = "".join(
        dice.choice(letters) + (dice.choice(marks) if marks and dice.random() < 0.7 else "") for _ in range(4)
    )
    return unicodedata.normalize("NFC", made + dice.choice(letters) + dice.choice(marks or letters))


def _line(words: Words, letters: str, marks: str = "") -> str:
    written = " ".join(_word(words, letters, marks) for _ in range(5))
    return f"{words.word().capitalize()} {written} {words.word()}."


def _lines(words: Words) -> list[str]:
    """Generate a line in each script, in any order."""
    lines = [_line(words, *script) for script in _SCRIPTS] + [_line(words, letters) for letters in _UNMARKED]
    words.dice.shuffle(lines)
    return lines


def _grid(words: Words) -> Grid:
    head = tuple(words.word() for _ in range(3))
    rows = [(words.word(), _word(words, *script), f"{_word(words, *script)} {words.word()}") for script in _SCRIPTS]
    words.dice.shuffle(rows)
    return (head, *rows)


def _flowing(write: Callable[[str, list[str], Grid], bytes], *allowed: str) -> Callable[[Words], Truth]:
    """Return the maker of a document of a heading in a script with marks, lines, and a table."""

    def make(words: Words) -> Truth:
        heading = f"{words.heading()} {_word(words, *words.dice.choice(_SCRIPTS))}"
        lines, grid = _lines(words), _grid(words)
        truth = {"tables": (grid,), "has_figures": True, "allowed": (*allowed, *words_of(heading))}
        return write(heading, lines, grid), "whole", [" ".join((heading, *lines, cells(grid)))], truth

    return make


def _md(heading: str, lines: list[str], grid: Grid) -> bytes:
    return ("\n\n".join((f"# {heading}", *lines, md_table(grid))) + "\n").encode()


def _body(heading: str, lines: list[str], grid: Grid) -> str:
    return marked_up(heading, lines) + html_table(grid)


def _html(heading: str, lines: list[str], grid: Grid) -> bytes:
    return HTML.format(title=heading, body=_body(heading, lines, grid)).encode()


def _epub(heading: str, lines: list[str], grid: Grid) -> bytes:
    return epub([chapter(heading, _body(heading, lines, grid))], title=heading)


def _docx(heading: str, lines: list[str], grid: Grid) -> bytes:
    return docx(blocks=[("h1", heading), *(("p", line) for line in lines), ("table", grid)], title="", author="")


def _odt(heading: str, lines: list[str], grid: Grid) -> bytes:
    head = f'<text:h text:outline-level="1">{heading}</text:h>'
    return odt(head + "".join(f"<text:p>{line}</text:p>" for line in lines) + odt_table(grid))


def _rtf(heading: str, lines: list[str], grid: Grid) -> bytes:
    return rtf([rtf_heading(heading), *map(rtf_paragraph, lines), rtf_table(grid)])


def _txt(words: Words) -> Truth:
    lines = _lines(words)
    return ("\n\n".join(lines) + "\n").encode(), "whole", [" ".join(lines)], {"has_figures": True}


def _eml(words: Words) -> Truth:
    lines = _lines(words)
    data, truth = mail(words.heading(), lines)
    return data, "whole", [" ".join(lines)], truth | {"has_figures": True}


def _json(words: Words) -> Truth:
    values = {words.word(): line for line in _lines(words)}
    truth = {"allowed": (*values, "json"), "names": tuple(values), "has_figures": True}
    data = json.dumps(values, ensure_ascii=False, indent=2)
    return data.encode(), "whole", ["\n".join(values.values())], truth


def _separated(between: str, end: str) -> Callable[[Words], Truth]:
    def make(words: Words) -> Truth:
        grid = _grid(words)
        data = "".join(between.join(row) + end for row in grid)
        return data.encode(), "sheet", [cells(grid)], {"tables": (grid,), "has_figures": True}

    return make


def _xlsx(words: Words) -> Truth:
    sheets = {words.word().capitalize(): _grid(words) for _ in range(2)}
    truth = {"allowed": tuple(sheets), "tables": tuple(sheets.values()), "has_figures": True}
    return (
        xlsx(sheets=sheets, merges={}, title="", author=""),
        "sheet",
        [cells(grid) for grid in sheets.values()],
        truth,
    )


def _pptx(words: Words) -> Truth:
    lines = _lines(words)
    slides = [(words.heading(), lines[at : at + 7]) for at in range(0, len(lines), 7)]
    allowed = ("Slide", *(str(number) for number in range(1, len(slides) + 1)))
    pages = [" ".join((heading, *told)) for heading, told in slides]
    return pptx(slides=slides, title="", author=""), "slide", pages, {"allowed": allowed, "has_figures": True}


def _sheaf(words: Words) -> Truth:
    lines, grid = _lines(words), _grid(words)
    blocks = [*(["p", line] for line in lines), ["t", grid]]
    truth = {"tables": (grid,), "has_figures": True}
    return sheaf(pages=[{"blocks": blocks}]), "page", [" ".join((*lines, cells(grid)))], truth


SCRIPTS: dict[str, tuple[str, Callable[[Words], Truth]]] = {
    "csv/marks.csv": ("text/csv", _separated(",", "\r\n")),
    "docx/marks.docx": (f"{OFFICE}.wordprocessingml.document", _flowing(_docx)),
    "eml/marks.eml": ("message/rfc822", _eml),
    "epub/marks.epub": (EPUB_TYPE, _flowing(_epub, *BOOK_WORDS)),
    "html/marks.html": ("text/html", _flowing(_html)),
    "json/marks.json": (JSON_TYPE, _json),
    "md/marks.md": ("text/markdown", _flowing(_md)),
    "odt/marks.odt": (ODT_TYPE, _flowing(_odt)),
    "pptx/marks.pptx": (f"{OFFICE}.presentationml.presentation", _pptx),
    "rtf/marks.rtf": (RTF_TYPE, _flowing(_rtf)),
    "sheaf/marks.sheaf": (SHEAF, _sheaf),
    "tsv/marks.tsv": ("text/tab-separated-values", _separated("\t", "\n")),
    "txt/marks.txt": ("text/plain", _txt),
    "xlsx/marks.xlsx": (f"{OFFICE}.spreadsheetml.sheet", _xlsx),
}
"""Path → media type, and the function that makes the document."""
