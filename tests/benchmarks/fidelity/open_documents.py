"""Made documents of the formats that no library of this environment writes: OpenDocument text, RTF, EPUB, and old Word files.

The first three are written by hand, so that no converter's own writer decides what a document holds. Old Word files come from
LibreOffice, which makes them from the Word documents; without it there are none.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from .documents import VARIANTS, Made, documents, words_of

OLD_WORD = frozenset({"heading", "heading number", "link", "list label", "superscript", "table", "title"})
"""Constructs of Word documents that are also tried as old Word files."""

_ODT_SPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"), ("fo", "xsl-fo-compatible"))
) + ' xmlns:xlink="http://www.w3.org/1999/xlink"'  # fmt: skip
_ODT_STYLES = (
    '<style:style style:name="Sup" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>'
    '<text:list-style style:name="Bullets"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/>'
    '<text:list-level-style-bullet text:level="2" text:bullet-char="•"/></text:list-style>'
    '<text:list-style style:name="Numbers"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>'
    "</text:list-style>"
    '<text:list-style style:name="Letters"><text:list-level-style-number text:level="1" style:num-format="a" style:num-prefix="("'
    ' style:num-suffix=")" text:start-value="2"/></text:list-style>'
    '<text:list-style style:name="Sections"><text:list-level-style-number text:level="1" style:num-format="1" style:num-prefix="Part "/>'
    "</text:list-style>"
)
_ODT: tuple[tuple[str, str, str], ...] = (
    ("title", '<text:p text:style-name="Title">Head WORD</text:p>', r"(?m)^#+ Head WORD"),
    ("heading", '<text:h text:outline-level="2">Head WORD</text:h><text:p>Text.</text:p>', r"(?m)^## Head WORD"),
    ("list", '<text:list text:style-name="Bullets"><text:list-item><text:p>top</text:p><text:list><text:list-item>'
     "<text:p>inner WORD</text:p></text:list-item></text:list></text:list-item></text:list>", r"(?m)^ +[-*+] +inner WORD"),
    ("list number", '<text:list text:style-name="Numbers"><text:list-item><text:p>item WORD</text:p></text:list-item></text:list>'
     "<text:p>x</text:p>", r"(?m)^1\. +item WORD"),
    ("list label", '<text:list text:style-name="Letters"><text:list-item><text:p>item WORD</text:p></text:list-item></text:list>'
     "<text:p>x</text:p>", r"\(b\) item WORD"),
    ("heading number", '<text:list text:style-name="Sections"><text:list-item><text:h text:outline-level="2">Head WORD</text:h></text:list-item>'
     "</text:list><text:p>Text.</text:p>", r"(?m)^## Part 1 Head WORD"),
    ("link", '<text:p>See <text:a xlink:href="https://example.org/WORD">the page</text:a> now.</text:p>', r"\[the page\]\(https://example\.org/WORD\)"),
    ("table", "<table:table><table:table-column/><table:table-column/>"
     "<table:table-row><table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell><text:p>B</text:p></table:table-cell></table:table-row>"
     "<table:table-row><table:table-cell><text:p>1</text:p></table:table-cell><table:table-cell><text:p>WORD</text:p></table:table-cell></table:table-row>"
     "</table:table><text:p>x</text:p>", r"(?m)^\|? *1 *\| *WORD *\|?"),
    ("superscript", '<text:p>m<text:span text:style-name="Sup">WORD</text:span></text:p>', r"(?:<sup>|\^)WORD"),
    ("note", '<text:p>Said<text:note text:id="n" text:note-class="footnote"><text:note-citation>1</text:note-citation>'
     "<text:note-body><text:p>Note WORD</text:p></text:note-body></text:note> so.</text:p>", r"Note WORD"),
)  # fmt: skip
_RTF: tuple[tuple[str, str, str], ...] = (
    ("heading", r"\pard\plain\s2\outlinelevel1\b Head WORD\par\pard\plain Text.\par", r"(?m)^#+ \**Head WORD"),
    ("list label", r"\pard\plain{\listtext (b)\tab}\ilvl0\ls1\li360 item WORD\par", r"\(b\) item WORD"),
    ("heading number", r"\pard\plain\s2\outlinelevel1{\listtext 3.1\tab}\ilvl0\ls1 Head WORD\par\pard\plain Text.\par", r"(?m)^#+ \**3\.1\** \**Head WORD"),
    ("link", r'\pard\plain See {\field{\*\fldinst HYPERLINK "https://example.org/WORD"}{\fldrslt the page}} now.\par', r"\[(?:<u>)?the page(?:</u>)?\]\(https://example\.org/WORD\)"),
    ("table", r"\trowd\cellx3000\cellx6000\pard\intbl A\cell B\cell\row\trowd\cellx3000\cellx6000\pard\intbl 1\cell WORD\cell\row\pard\plain x\par", r"(?m)^\|? *1 *\| *WORD *\|?"),
    ("superscript", r"\pard\plain m{\super WORD}\par", r"(?:<sup>|\^)WORD"),
    ("field", r"\pard\plain Figure {\field{\*\fldinst SEQ Figure }{\fldrslt WORD}}: a mill\par", r"Figure WORD: a mill"),
    ("title", r"\pard\plain\s15 Head WORD\par\pard\plain Text.\par", r"(?m)^#+ \**Head WORD"),
    ("text after a link", r'\pard\plain See {\field{\*\fldinst HYPERLINK "https://example.org/"}{\fldrslt it}}.\par\pard\plain Then WORD\par', r"Then WORD"),
)  # fmt: skip
_EPUB: tuple[tuple[str, str, str], ...] = (
    ("heading", "<h2>Head WORD</h2><p>Text below it.</p>", r"(?m)^##+ Head WORD"),
    ("list", "<ul><li>top<ul><li>inner WORD</li></ul></li></ul>", r"(?m)^ +[-*+] +inner WORD"),
    ("link", "<p>See <a href='https://example.org/WORD'>the page</a> now.</p>", r"\[the page\]\(https://example\.org/WORD\)"),
    ("table", "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>WORD</td></tr></table>", r"(?m)^\|? *1 *\| *WORD *\|?"),
    ("superscript", "<p>m<sup>WORD</sup></p>", r"(?:<sup>|\^)WORD"),
    ("quote", "<blockquote><p>Said WORD</p></blockquote><p>x</p>", r"(?m)^> *Said WORD"),
    ("code", "<pre><code>a = WORD\n  b = 1</code></pre>", r"(?:```[^`]*|^ {4})a = WORD\n(?: {4})?  b = 1"),
)  # fmt: skip


def all_documents() -> Iterator[Made]:
    """The made documents of all formats."""
    made = list(documents())
    yield from made
    for count in range(1, VARIANTS + 1):
        yield from open_documents(words_of(count))
    yield from old_word_documents(made)


def open_documents(words: list[str]) -> Iterator[Made]:
    """OpenDocument texts, RTF files and EPUB books, one of each construct with a part a word."""
    for form, constructs, write in (("odt", _ODT, _odt), ("rtf", _RTF, _rtf), ("epub", _EPUB, _epub)):
        for construct, part, pattern in constructs:
            yield Made(
                construct=construct,
                name=f"{construct.replace(' ', '-')}-{len(words)}.{form}",
                data=write("".join(part.replace("WORD", word) for word in words)),
                parts=tuple(pattern.replace("WORD", word) for word in words),
            )


def old_word_documents(made: Iterable[Made]) -> Iterator[Made]:
    """Old Word files made by LibreOffice from Word documents; none where it is not installed.

    Args:
        made: documents of any format; those of other formats and constructs are passed over.
    """
    program = shutil.which("soffice")
    chosen = {Path(one.name).stem: one for one in made if one.format == "docx" and one.construct in OLD_WORD}
    if program is None or not chosen:
        return
    with tempfile.TemporaryDirectory() as folder:
        for one in chosen.values():
            Path(folder, one.name).write_bytes(one.data)
        command = [
            program,
            f"-env:UserInstallation=file://{folder}/profile",
            "--headless",
            "--convert-to",
            "doc:MS Word 97",
        ]
        files = [str(Path(folder, one.name)) for one in chosen.values()]
        subprocess.run([*command, "--outdir", folder, *files], check=True, capture_output=True, timeout=300)
        for stem, one in chosen.items():
            yield replace(one, name=f"{stem}.doc", data=Path(folder, f"{stem}.doc").read_bytes())


def _zipped(media_type: str, parts: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        package.writestr("mimetype", media_type, zipfile.ZIP_STORED)
        for name, text in parts.items():
            package.writestr(name, text, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _odt(body: str) -> bytes:
    media_type = "application/vnd.oasis.opendocument.text"
    entry = '<manifest:file-entry manifest:full-path="{}" manifest:media-type="{}"/>'
    parts = (("/", media_type), ("content.xml", "text/xml"), ("styles.xml", "text/xml"))
    entries = "".join(entry.format(*one) for one in parts)
    return _zipped(
        media_type,
        {
            "META-INF/manifest.xml": '<manifest:manifest manifest:version="1.3" '
            f'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">{entries}</manifest:manifest>',
            "styles.xml": f'<office:document-styles {_ODT_SPACES} office:version="1.3"/>',
            "content.xml": f'<office:document-content {_ODT_SPACES} office:version="1.3">'
            f"<office:automatic-styles>{_ODT_STYLES}</office:automatic-styles><office:body><office:text>"
            f"<text:p>This text was made to see what is kept of it.</text:p>{body}</office:text></office:body></office:document-content>",
        },
    )


def _rtf(body: str) -> bytes:
    head = r"{\rtf1\ansi\deff0{\fonttbl{\f0 Times New Roman;}}{\stylesheet{\s0 Normal;}{\s2\outlinelevel1\b heading 2;}{\s15 Title;}}"
    level = r"{\listlevel\levelnfc4\levelstartat2{\leveltext\'03(\'00);}{\levelnumbers\'02;}}"
    lists = rf"{{\*\listtable{{\list\listtemplateid1{level}\listid1}}}}{{\*\listoverridetable{{\listoverride\listid1\listoverridecount0\ls1}}}}"
    return f"{head}{lists}\\pard\\plain This text was made to see what is kept of it.\\par {body}}}".encode("ascii")


def _epub(body: str) -> bytes:
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">made</dc:identifier>'
        "<dc:title>Made book</dc:title><dc:language>en</dc:language></metadata>"
        '<manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="c"/></spine></package>'
    )
    chapter = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Made book</title></head><body>'
        f"<p>This book was made to see what is kept of it.</p>{body}</body></html>"
    )
    container = (
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    return _zipped("application/epub+zip", {"META-INF/container.xml": container, "p.opf": package, "c.xhtml": chapter})
