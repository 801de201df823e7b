"""Writes a copy of a PDF whose recognised words can be searched and selected (OCR-4). Runs only in the worker.

The words are in an invisible layer on top of the page, one text matrix per word. Pictures, fonts, metadata and structure
of the original are copied unchanged: their streams are not even unpacked.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from octavo_contracts import (
    HookContext,
    Model,
    OCRWord,
    SourceCorrupt,
    SourceEncrypted,
    SourceView,
    UsageError,
)
from pydantic import Field

from .glyphless import ADVANCE, GLYPH, GlyphlessFonts, to_unicode
from .text_layer import Matrix, find_turn, place, shown_from_upright, user_from_shown

if TYPE_CHECKING:
    import pikepdf

FONT_NAME = "/OctavoText{}"
_INVISIBLE = 3
_SHOWS_TEXT = frozenset({"Tj", "TJ", "'", '"'})


class LayerPage(Model):
    """The words of one page."""

    page: int = Field(ge=1, description="Page, from 1.")
    words: tuple[OCRWord, ...] = Field(description="Words in reading order.")


class LayerRequest(Model):
    """Request for a text layer."""

    pages: tuple[LayerPage, ...] = Field(description="Pages that get a layer.")
    password: str | None = Field(default=None, repr=False, description="Password of an encrypted document.")


def write_searchable(payload: bytes, source: SourceView, context: HookContext) -> bytes:
    """Write the copy.

    An existing invisible layer of such a page is removed: it was found not to be the page's text. An encrypted document
    stays encrypted.

    Args:
        payload: a `LayerRequest`.
        source: the PDF.
        context: not needed.

    Returns:
        The new PDF's bytes.

    Raises:
        SourceEncrypted: the PDF needs a password.
        SourceCorrupt: the PDF cannot be opened.
        UsageError: the PDF does not have a requested page.
    """
    import pikepdf

    request = LayerRequest.read(payload)
    try:
        pdf = pikepdf.open(io.BytesIO(source.read_bytes()), password=request.password or "")
    except pikepdf.PasswordError as error:
        raise SourceEncrypted("the PDF is encrypted, and the password is wrong", source=source.name) from error
    except pikepdf.PdfError as error:
        raise SourceCorrupt(f"the PDF cannot be opened for writing: {error}", source=source.name) from error
    with pdf:
        _write_layers(pdf, request)
        written = io.BytesIO()
        if pdf.is_encrypted:
            # Its streams must be encrypted again, and its id cannot be derived from the content alone.
            pdf.save(written, encryption=True, fix_metadata_version=False)
        else:
            pdf.save(
                written,
                stream_decode_level=pikepdf.StreamDecodeLevel.none,
                fix_metadata_version=False,
                deterministic_id=True,
            )
    return written.getvalue()


def _write_layers(pdf: pikepdf.Pdf, request: LayerRequest) -> None:
    import pikepdf

    fonts = GlyphlessFonts()
    layers: list[tuple[pikepdf.Page, bytes, set[int]]] = []
    for item in request.pages:
        if item.page > len(pdf.pages):
            raise UsageError(f"page {item.page} does not exist; the PDF has {len(pdf.pages)}")
        page = pdf.pages[item.page - 1]
        content, used = layer_content(item.words, page_geometry(page), fonts)
        layers.append((page, content, used))
    made = [_font(pdf, fonts.characters(number)) for number in range(fonts.count)]
    for page, content, used in layers:
        _drop_invisible(pdf, page)
        page.contents_add(pdf.make_stream(b"q\n"), prepend=True)
        page.contents_add(pdf.make_stream(b"\nQ\n" + content))
        for number in sorted(used):
            page.add_resource(made[number], pikepdf.Name.Font, pikepdf.Name(FONT_NAME.format(number)))


def page_geometry(page: Any) -> tuple[int, tuple[float, float, float, float]]:
    """Return a page's rotation for display, and the displayed area in user space: left, bottom, right, top.

    Args:
        page: a pikepdf page. Any: numbers in a PDF have many types.
    """
    rotate = page.obj.get("/Rotate")
    parent = page.obj
    while rotate is None and "/Parent" in parent:
        parent = parent["/Parent"]
        rotate = parent.get("/Rotate")
    x0, y0, x1, y1 = (float(value) for value in page.cropbox)
    m0, n0, m1, n1 = (float(value) for value in page.mediabox)
    left, right = max(min(x0, x1), min(m0, m1)), min(max(x0, x1), max(m0, m1))
    bottom, top = max(min(y0, y1), min(n0, n1)), min(max(y0, y1), max(n0, n1))
    return int(rotate or 0), (left, bottom, right, top)


def layer_content(
    words: tuple[OCRWord, ...], geometry: tuple[int, tuple[float, float, float, float]], fonts: GlyphlessFonts
) -> tuple[bytes, set[int]]:
    """Return the content stream of one page's layer, and the fonts that it uses."""
    rotate, (left, bottom, right, top) = geometry
    width, height = right - left, top - bottom
    if rotate % 180:
        width, height = height, width
    turn = find_turn(words)
    to_user = shown_from_upright(turn, width=width, height=height).then(
        user_from_shown(rotate, (left, bottom, right, top))
    )
    parts = [b"BT", b"%d Tr" % _INVISIBLE]
    used: set[int] = set()
    for word in place(words, turn=turn, width=width, height=height):
        wide, tall = word.right - word.left, word.bottom - word.top
        if wide <= 0 or tall <= 0 or not word.text.strip():
            continue
        # One em wide and one tall, from the lower left corner of the word, upwards.
        unit = Matrix(wide / (ADVANCE * len(word.text)), 0, 0, -tall, word.left, word.bottom)
        parts.append(" ".join(f"{value:.4f}" for value in unit.then(to_user)).encode() + b" Tm")
        for font, codes in fonts.encode(word.text):
            used.add(font)
            parts.append(FONT_NAME.format(font).encode() + b" 1 Tf <" + codes.hex().encode() + b"> Tj")
    parts.append(b"ET\n")
    return b"\n".join(parts), used


def _font(pdf: pikepdf.Pdf, characters: list[str]) -> Any:
    from pikepdf import Array, Dictionary, Name

    names = [f"/c{code}" for code in range(1, len(characters) + 1)]
    glyph = pdf.make_indirect(pdf.make_stream(GLYPH))
    return pdf.make_indirect(
        Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            FontBBox=Array([0, 0, 500, 1000]),
            FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
            CharProcs=Dictionary(dict.fromkeys(names, glyph)),
            Encoding=Dictionary(Type=Name.Encoding, Differences=Array([1, *map(Name, names)])),
            FirstChar=1,
            LastChar=len(characters),
            Widths=Array([500] * len(characters)),
            Resources=Dictionary(),
            ToUnicode=pdf.make_indirect(pdf.make_stream(to_unicode(characters))),
        )
    )


def _drop_invisible(pdf: pikepdf.Pdf, page: pikepdf.Page) -> None:
    """Remove invisible text from the page's own content; keep everything that paints."""
    import pikepdf

    if b" Tr" not in b"".join(_content_parts(page)):
        return
    try:
        instructions = pikepdf.parse_content_stream(page)
    except pikepdf.PdfParsingError:
        return
    kept: list[Any] = []
    mode, stack = 0, []
    for instruction in instructions:
        operator = str(instruction.operator)
        if operator == "q":
            stack.append(mode)
        elif operator == "Q" and stack:
            mode = stack.pop()
        elif operator == "Tr" and instruction.operands:
            mode = int(instruction.operands[0])
        if not (operator in _SHOWS_TEXT and mode == _INVISIBLE):
            kept.append(instruction)
    if len(kept) < len(instructions):
        page.obj["/Contents"] = pdf.make_indirect(pdf.make_stream(pikepdf.unparse_content_stream(kept)))


def _content_parts(page: pikepdf.Page) -> list[bytes]:
    import pikepdf

    contents = page.obj.get("/Contents")
    if contents is None:
        return []
    streams = contents if isinstance(contents, pikepdf.Array) else [contents]
    return [bytes(stream.read_bytes()) for stream in streams if isinstance(stream, pikepdf.Stream)]
