"""The table of formats: media type, extensions, category, default routing type, name (CLS-1, CLS-9, CNV-5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from octavo_contracts import Category, RoutingType, SubKind

Family = Literal["pdf", "zip", "ole", "text", "image", "audio", "binary"]
"""Encoding family of a format, which selects the preflight check."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format.

    Attributes:
        media_type: its media type, the key.
        name: display name with its article, as used in messages.
        extensions: lower case with the dot, the usual one first.
        category: category of the document. That of a PDF is decided by its pages.
        sub_kind: kind within `plaintext`.
        routing_type: default routing type; the classifier may replace it.
        family: encoding family.
        aliases: other media types of the same format.
    """

    media_type: str
    name: str
    extensions: tuple[str, ...]
    category: Category
    routing_type: RoutingType
    family: Family
    sub_kind: SubKind | None = None
    aliases: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name without its article, for tables."""
        return self.name.removeprefix("a ").removeprefix("an ")


def _office(media_type: str, name: str, *extensions: str, category: Category, family: Family) -> Format:
    routing = {
        Category.WORD: RoutingType.TEXT_NATIVE_DOC,
        Category.SPREADSHEET: RoutingType.SPREADSHEET,
        Category.PRESENTATION: RoutingType.PRESENTATION,
    }[category]
    return Format(
        media_type=media_type,
        name=name,
        extensions=extensions,
        category=category,
        routing_type=routing,
        family=family,
    )


def _text(
    media_type: str,
    name: str,
    *extensions: str,
    routing: RoutingType = RoutingType.PLAIN_TEXT,
    category: Category = Category.PLAINTEXT,
    sub_kind: SubKind | None = None,
    aliases: tuple[str, ...] = (),
) -> Format:
    return Format(
        media_type=media_type,
        name=name,
        extensions=extensions,
        category=category,
        routing_type=routing,
        family="text",
        sub_kind=sub_kind,
        aliases=aliases,
    )


def _media(media_type: str, name: str, *extensions: str, aliases: tuple[str, ...] = ()) -> Format:
    is_image = media_type.startswith("image/")
    return Format(
        media_type=media_type,
        name=name,
        extensions=extensions,
        category=Category.IMAGE if is_image else Category.AUDIO,
        routing_type=RoutingType.IMAGE if is_image else RoutingType.AUDIO,
        family="image" if is_image else "audio",
        aliases=aliases,
    )


def _archive(media_type: str, name: str, *extensions: str, family: Family, aliases: tuple[str, ...] = ()) -> Format:
    return Format(
        media_type=media_type,
        name=name,
        extensions=extensions,
        category=Category.PLAINTEXT,
        routing_type=RoutingType.ARCHIVE,
        family=family,
        sub_kind="archive",
        aliases=aliases,
    )


_OOXML = "application/vnd.openxmlformats-officedocument"
_ODF = "application/vnd.oasis.opendocument"

FORMATS: tuple[Format, ...] = (
    Format(
        media_type="application/pdf",
        name="a PDF",
        extensions=(".pdf",),
        category=Category.PDF_TEXT,
        routing_type=RoutingType.TEXT_NATIVE_PDF,
        family="pdf",
        aliases=("application/x-pdf",),
    ),
    _office(
        f"{_OOXML}.wordprocessingml.document", "a Word document", ".docx", ".dotx", category=Category.WORD, family="zip"
    ),
    _office(
        "application/vnd.ms-word.document.macroenabled.12",
        "a Word document with macros",
        ".docm",
        ".dotm",
        category=Category.WORD,
        family="zip",
    ),
    _office(
        f"{_OOXML}.spreadsheetml.sheet",
        "an Excel workbook",
        ".xlsx",
        ".xltx",
        category=Category.SPREADSHEET,
        family="zip",
    ),
    _office(
        "application/vnd.ms-excel.sheet.macroenabled.12",
        "an Excel workbook with macros",
        ".xlsm",
        ".xltm",
        category=Category.SPREADSHEET,
        family="zip",
    ),
    _office(
        "application/vnd.ms-excel.sheet.binary.macroenabled.12",
        "a binary Excel workbook",
        ".xlsb",
        category=Category.SPREADSHEET,
        family="zip",
    ),
    _office(
        f"{_OOXML}.presentationml.presentation",
        "a PowerPoint presentation",
        ".pptx",
        ".ppsx",
        ".potx",
        category=Category.PRESENTATION,
        family="zip",
    ),
    _office(
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        "a PowerPoint presentation with macros",
        ".pptm",
        ".ppsm",
        category=Category.PRESENTATION,
        family="zip",
    ),
    _office("application/msword", "a Word 97 document", ".doc", ".dot", category=Category.WORD, family="ole"),
    _office(
        "application/vnd.ms-excel", "an Excel 97 workbook", ".xls", ".xlt", category=Category.SPREADSHEET, family="ole"
    ),
    _office(
        "application/vnd.ms-powerpoint",
        "a PowerPoint 97 presentation",
        ".ppt",
        ".pps",
        category=Category.PRESENTATION,
        family="ole",
    ),
    _office(f"{_ODF}.text", "an OpenDocument text", ".odt", ".ott", category=Category.WORD, family="zip"),
    _office(
        f"{_ODF}.spreadsheet",
        "an OpenDocument spreadsheet",
        ".ods",
        ".ots",
        category=Category.SPREADSHEET,
        family="zip",
    ),
    _office(
        f"{_ODF}.presentation",
        "an OpenDocument presentation",
        ".odp",
        ".otp",
        category=Category.PRESENTATION,
        family="zip",
    ),
    _text(
        "application/rtf",
        "a rich text document",
        ".rtf",
        routing=RoutingType.TEXT_NATIVE_DOC,
        category=Category.WORD,
        aliases=("text/rtf",),
    ),
    _text(
        "text/csv",
        "a CSV table",
        ".csv",
        routing=RoutingType.SPREADSHEET,
        category=Category.SPREADSHEET,
        aliases=("application/csv",),
    ),
    _text(
        "text/tab-separated-values",
        "a tab-separated table",
        ".tsv",
        ".tab",
        routing=RoutingType.SPREADSHEET,
        category=Category.SPREADSHEET,
    ),
    _text(
        "text/html",
        "an HTML page",
        ".html",
        ".htm",
        ".xhtml",
        routing=RoutingType.HTML,
        sub_kind="html",
        aliases=("application/xhtml+xml",),
    ),
    _text("text/markdown", "markdown", ".md", ".markdown", routing=RoutingType.MARKDOWN),
    _text("text/plain", "plain text", ".txt", ".text", ".log"),
    _text("application/json", "JSON", ".json"),
    _text(
        "application/x-ipynb+json",
        "a Jupyter notebook",
        ".ipynb",
        routing=RoutingType.TEXT_NATIVE_DOC,
    ),
    _text("application/xml", "an XML document", ".xml", aliases=("text/xml",)),
    _text("application/rss+xml", "an RSS feed", ".rss"),
    _text("application/atom+xml", "an Atom feed", ".atom"),
    _text("application/jats+xml", "a JATS article", ".nxml", routing=RoutingType.TEXT_NATIVE_DOC),
    _text(
        "application/docbook+xml",
        "a DocBook document",
        ".dbk",
        ".docbook",
        routing=RoutingType.TEXT_NATIVE_DOC,
        aliases=("application/x-docbook+xml",),
    ),
    _text(
        "application/x-fictionbook+xml",
        "a FictionBook",
        ".fb2",
        routing=RoutingType.EBOOK,
        sub_kind="ebook",
        aliases=("application/x-fictionbook", "text/fb2+xml"),
    ),
    _text(
        "text/x-opml+xml",
        "an OPML outline",
        ".opml",
        routing=RoutingType.TEXT_NATIVE_DOC,
        aliases=("text/x-opml", "text/opml"),
    ),
    _text(
        "application/x-tex",
        "LaTeX",
        ".tex",
        ".ltx",
        ".latex",
        routing=RoutingType.TEXT_NATIVE_DOC,
        aliases=("application/x-latex", "text/x-tex", "text/x-latex"),
    ),
    _text(
        "text/x-rst",
        "reStructuredText",
        ".rst",
        routing=RoutingType.TEXT_NATIVE_DOC,
        aliases=("text/prs.fallenstein.rst",),
    ),
    _text("text/x-org", "Org text", ".org", routing=RoutingType.TEXT_NATIVE_DOC, aliases=("text/org",)),
    _text(
        "text/x-wiki",
        "MediaWiki text",
        ".mediawiki",
        ".wiki",
        routing=RoutingType.TEXT_NATIVE_DOC,
        aliases=("text/x-mediawiki",),
    ),
    _text("text/vtt", "WebVTT subtitles", ".vtt"),
    _text("application/x-subrip", "SubRip subtitles", ".srt", aliases=("text/srt",)),
    _text(
        "message/rfc822",
        "an e-mail message",
        ".eml",
        routing=RoutingType.EMAIL,
        sub_kind="email",
    ),
    _text("application/mbox", "a mailbox", ".mbox", routing=RoutingType.EMAIL, sub_kind="email"),
    Format(
        media_type="application/vnd.ms-outlook",
        name="an Outlook message",
        extensions=(".msg",),
        category=Category.PLAINTEXT,
        routing_type=RoutingType.EMAIL,
        family="ole",
        sub_kind="email",
    ),
    Format(
        media_type="application/epub+zip",
        name="an EPUB book",
        extensions=(".epub",),
        category=Category.PLAINTEXT,
        routing_type=RoutingType.EBOOK,
        family="zip",
        sub_kind="ebook",
    ),
    Format(
        media_type="image/svg+xml",
        name="an SVG drawing",
        extensions=(".svg",),
        category=Category.IMAGE,
        routing_type=RoutingType.IMAGE,
        family="text",
    ),
    _media("image/png", "a PNG image", ".png"),
    _media("image/jpeg", "a JPEG image", ".jpg", ".jpeg", ".jpe", aliases=("image/jpg",)),
    _media("image/tiff", "a TIFF image", ".tiff", ".tif"),
    _media("image/gif", "a GIF image", ".gif"),
    _media("image/webp", "a WebP image", ".webp"),
    _media("image/bmp", "a BMP image", ".bmp", ".dib", aliases=("image/x-ms-bmp",)),
    _media("audio/mpeg", "MP3 audio", ".mp3", aliases=("audio/mp3",)),
    _media("audio/wav", "WAV audio", ".wav", aliases=("audio/x-wav", "audio/wave", "audio/vnd.wave")),
    _media("audio/mp4", "MPEG-4 audio", ".m4a", ".m4b", aliases=("audio/x-m4a", "audio/m4a")),
    _media("audio/flac", "FLAC audio", ".flac", aliases=("audio/x-flac",)),
    _media("audio/ogg", "Ogg audio", ".ogg", ".oga", ".opus", aliases=("application/ogg",)),
    _archive("application/zip", "a zip archive", ".zip", family="zip", aliases=("application/x-zip-compressed",)),
    _archive("application/gzip", "a gzip archive", ".gz", ".tgz", family="binary", aliases=("application/x-gzip",)),
    _archive("application/x-7z-compressed", "a 7z archive", ".7z", family="binary"),
    _archive("application/vnd.rar", "a RAR archive", ".rar", family="binary", aliases=("application/x-rar",)),
    Format(
        media_type="application/x-ole-storage",
        name="an OLE compound file of unknown kind",
        extensions=(),
        category=Category.PLAINTEXT,
        routing_type=RoutingType.UNKNOWN,
        family="ole",
    ),
)
"""Every format that Octavo recognises (CNV-5), whether or not an installed plugin reads it."""

UNKNOWN = Format(
    media_type="application/octet-stream",
    name="of an unknown format",
    extensions=(),
    category=Category.PLAINTEXT,
    routing_type=RoutingType.UNKNOWN,
    family="binary",
)
"""Placeholder for bytes that match none of `FORMATS`."""

_BY_TYPE = {media_type: row for row in FORMATS for media_type in (row.media_type, *row.aliases)}
_BY_EXTENSION = {extension: row for row in FORMATS for extension in row.extensions}


def format_of(media_type: str) -> Format:
    """Return the format of a media type or alias; `UNKNOWN` if the table has none."""
    return _BY_TYPE.get(media_type.lower(), UNKNOWN)


def format_for_extension(extension: str) -> Format | None:
    """Return the format of an extension, for example '.docx'; None if the table has none."""
    return _BY_EXTENSION.get(extension.lower())


def is_textual(media_type: str) -> bool:
    """Return whether files of this type are text, so that line endings and byte order marks are not content."""
    return format_of(media_type).family == "text" or media_type.lower().startswith("text/")
