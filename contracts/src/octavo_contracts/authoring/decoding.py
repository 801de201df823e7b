"""Decodes bytes: by byte order mark, declared encoding, UTF-8, then by a guess that is reported as one.

`decode` is for files, `decode_page` for fetched pages. Labels have the meaning of the WHATWG Encoding Standard:
`iso-8859-1` means windows-1252. Guessing the encoding of non-Latin scripts needs charset-normalizer, which engines that
read text depend on; it is imported when needed.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from ..conversion import ConversionWarning
from ..errors import ToolUnavailable
from ..reasons import DegradedFlag

DENSE = 0.2
"""From this share of high bytes among letters, a text is taken to be in a non-Latin script."""

SAMPLE_BYTES = 200_000
"""Bytes of a document that the guess examines."""

# In non-Latin scripts the bytes distinguish encodings; only those in actual use are tried.
_OTHER_SCRIPTS = (
    "cp1251", "koi8_r", "cp1253", "cp1255", "cp1256", "cp874", "cp932", "euc_jp", "gb18030", "big5", "cp949", "cp866",
)  # fmt: skip

_MULTI_BYTE = frozenset(("cp932", "euc_jp", "gb18030", "big5", "cp949"))

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "tis-620": "cp874",
}
_LABELS = {
    "x-sjis": "cp932",
    "ks_c_5601-1987": "cp949",
    "x-gbk": "gb18030",
    "x-cp1251": "cp1251",
    "x-cp1250": "cp1250",
    "x-cp1252": "cp1252",
    "windows-949": "cp949",
    "unicode": "utf-16-le",
    "windows-874": "cp874",
    "x-euc-jp": "euc_jp",
    "big5-hkscs": "big5hkscs",
    "x-x-big5": "big5",
    "koi": "koi8_r",
    "x-mac-cyrillic": "mac_cyrillic",
    "x-mac-roman": "mac_roman",
    "macintosh": "mac_roman",
    "logical": "iso8859_8",
    "visual": "iso8859_8",
}
"""Labels of the WHATWG Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels) → Python's names."""
HEAD_BYTES = 4_096
"""Bytes of a page that are searched for its own declaration; the HTML standard requires 1,024."""
_IN_MARKUP = re.compile(
    rb"""<meta\b[^>]{0,500}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})|^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_.:-]{2,40})""",
    re.IGNORECASE,
)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([^\s"';,]{1,40})""", re.IGNORECASE)
_SEVEN_BIT = ("iso2022", "hz")
"""Codecs whose bytes are ASCII, and so valid UTF-8 too."""
_SIGN_IN_WORD = re.compile(r"(?<=[^\W\d_])[¡-¿×÷‡†ˆ‰\ufffd](?=[^\W\d_])")

_MIXED = re.compile(r"[A-Za-z](?=[^\W\d_A-Za-z])|[^\W\d_A-Za-z](?=[A-Za-z])")
_OTHER_LETTER = re.compile(r"[^\W\d_A-Za-z]")


class Decoded(NamedTuple):
    """Decoded bytes.

    Attributes:
        text: the characters; undecodable bytes and NUL become U+FFFD. Line ends are line feeds.
        encoding: the Python codec that decoded them.
        guessed: whether the codec was guessed from the bytes alone.
        repaired: number of replaced characters.
    """

    text: str
    encoding: str
    guessed: bool
    repaired: int

    def warnings(self, *, what: str = "The text", page: int | None = None) -> list[ConversionWarning]:
        """Warnings about the decoding for readers of the result.

        Args:
            what: subject of the message.
            page: page that contains the text, from 1.
        """
        found = []
        if self.repaired:
            message = (
                f"{what} contains {self.repaired} characters that are not {self.encoding}; they are shown as U+FFFD."
            )
            found.append(ConversionWarning(code=DegradedFlag.ENCODING_REPAIRED, message=message, page=page))
        if self.guessed:
            message = f"{what} does not declare its encoding and is not UTF-8; it was read as {self.encoding}."
            found.append(ConversionWarning(code="encoding_guessed", message=message, page=page))
        return found


def decode(data: bytes, *, declared: str | None = None) -> Decoded:
    """Decode bytes; never fails.

    Args:
        data: the bytes.
        declared: encoding declared by the sender, if any; used if it fits the bytes.
    """
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return _replacing(data, codec, guessed=False)
    known = _known_codec(declared)
    for candidate in (known, "utf-8"):
        if candidate and (text := _strict(data, candidate)) is not None and not _is_wide(data):
            return _clean(text, candidate, guessed=False)
    if _is_wide(data):
        return _replacing(data, "utf-16-le" if data[1::2].count(0) >= data[::2].count(0) else "utf-16-be", guessed=True)
    if known and known != "cp1252":
        return _replacing(data, known, guessed=False)
    if _mostly_utf8(data):
        return _replacing(data, "utf-8", guessed=False)
    return _replacing(data, _guess(data), guessed=True)


def decode_page(data: bytes, *, content_type: str | None = None, is_markup: bool = True) -> Decoded:
    """Decode a page from a server; never fails.

    The order is that of the HTML standard: byte order mark, charset from the server, declaration in the page. The last two
    are used if they fit the bytes, and valid UTF-8 overrides them: servers and templates are often wrong, valid multi-byte
    sequences are not. If neither fits, the encoding is guessed.

    Args:
        data: the body of the response.
        content_type: the `Content-Type` header as the server sent it.
        is_markup: whether the page can declare its encoding: HTML or XML.
    """
    if any(data.startswith(bom) for bom, _ in _BOMS):
        return decode(data)
    named = _CHARSET.search(content_type or "")
    own = declared_in_markup(data) if is_markup else None
    said = [codec for label in (named[1] if named else None, own) if (codec := _known_codec(label))]
    # Data declared as UTF-16 that is valid UTF-8 without a NUL is not UTF-16: ignore the declaration.
    if said and said[0].startswith("utf-16") and (0 in data or _strict(data, "utf-8") is None):
        return _replacing(data, said[0], guessed=False)
    said = [codec for codec in said if not codec.startswith(("utf-16", "utf-32"))]
    if said and said[0].startswith(_SEVEN_BIT):
        return _replacing(data, said[0], guessed=False)
    for codec in ("utf-8", *said):
        if not _is_wide(data) and (text := _strict(data, codec)) is not None:
            return _clean(text, codec, guessed=False)
    # No encoding fits without loss: use the declared one with replacements if most of the text fits, else ignore it.
    for codec in said:
        lossy = _replacing(data, codec, guessed=False)
        if lossy.repaired <= max(2, len(lossy.text) // 200):
            return lossy
    return decode(data)


def declared_in_markup(data: bytes) -> str | None:
    """Return the encoding that an HTML or XML page declares, or None."""
    match = _IN_MARKUP.search(_COMMENT.sub(b"", data[:HEAD_BYTES]))
    return (match[1] or match[2]).decode("ascii") if match else None


def _known_codec(label: str | None) -> str | None:
    if not label:
        return None
    try:
        known = label.strip().strip("\"'").lower()
        name = codecs.lookup(_LABELS.get(known, known)).name
        b"a".decode(name, errors="replace")
    except (
        LookupError,
        ValueError,
    ):  # unknown label, a codec that does not produce text such as base64, or a NUL in the label
        return None
    return _SUPERSETS.get(name, name)


def _is_wide(data: bytes) -> bool:
    """Detect UTF-16 without a byte order mark: every other byte of Latin text is NUL."""
    sample = data[:SAMPLE_BYTES]
    half = len(sample) // 2
    return half >= 4 and max(sample[::2].count(0), sample[1::2].count(0)) > 0.4 * half > 2.5 * min(
        sample[::2].count(0), sample[1::2].count(0)
    )


def _mostly_utf8(data: bytes) -> bool:
    lossy = data.decode("utf-8", errors="replace")
    broken = lossy.count("\ufffd")
    return sum(char > "\x7f" for char in lossy) - broken > broken


def _guess(data: bytes) -> str:
    sample = data[:SAMPLE_BYTES]
    high = sum(byte > 0x7F for byte in sample)
    letters = high + sum(65 <= byte & 0xDF <= 90 for byte in sample)
    if high >= DENSE * letters and (codec := _other_script(sample)):
        return codec
    # Statistics cannot tell Western from Central European text; symbols inside words reveal the wrong one.
    signs = {
        codec: len(_SIGN_IN_WORD.findall(sample.decode(codec, errors="replace"))) for codec in ("cp1252", "cp1250")
    }
    return "cp1250" if signs["cp1252"] > max(signs["cp1250"], 0.05 * high) else "cp1252"


def _other_script(sample: bytes) -> str | None:
    try:
        from charset_normalizer import from_bytes
    except ImportError as error:
        raise ToolUnavailable(
            "the text does not declare its encoding, and charset-normalizer, which detects it, is not installed",
            remedy="Run: pip install 'charset-normalizer>=3.4,<4'",
        ) from error
    best = from_bytes(sample, cp_isolation=list(_OTHER_SCRIPTS)).best()
    if best is None:
        return None
    text = sample.decode(best.encoding, errors="replace")
    # Words that mix two scripts indicate a Latin text with a few broken bytes, not a text in another script.
    # Chinese and Japanese are written without spaces, so Latin names may adjoin their characters.
    bearable = 0.5 if best.encoding in _MULTI_BYTE else 0.1
    return None if len(_MIXED.findall(text)) > bearable * len(_OTHER_LETTER.findall(text)) else best.encoding


def _strict(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeError:
        return None


def _replacing(data: bytes, codec: str, *, guessed: bool) -> Decoded:
    return _clean(data.decode(codec, errors="replace"), codec, guessed=guessed)


def _clean(text: str, codec: str, *, guessed: bool) -> Decoded:
    """Replace NUL and lone surrogates, which are not text (DIG-8), with U+FFFD."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = re.sub("[\x00\ud800-\udfff]", "\ufffd", text)
    return Decoded(text, codec, guessed, text.count("\ufffd"))
