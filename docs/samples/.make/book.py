"""The pebble guide: an EPUB 3 of two chapters."""

from __future__ import annotations

from archive import xml, zip_bytes

_CHAPTERS = {
    "stones": (
        "What the beach is made of",
        """
<p>A pebble is a stone between 4 and 64 millimetres across. Below that it is a granule, above it a cobble. On the
beach of Brannoch Head three kinds are common.</p>
<ol>
<li><b>Flint</b>, dark and glassy, with a white crust. It came out of chalk that is no longer there.</li>
<li><b>Gneiss</b>, banded in grey and rose, from the cliff itself.</li>
<li><b>Sea coal</b>, black and light, from a seam below the bay.</li>
</ol>
<p>Anything green, smooth and see-through is bottle glass. 🟢</p>
""",
    ),
    "sorting": (
        "How the sea sorts them",
        """
<p>Waves carry stones up the beach faster than they carry them back. The backwash is weak, for the water sinks into
the gravel, so that the largest stones are left at the top: the <i>storm berm</i>.</p>
<h2>A test to make</h2>
<p>Take ten stones at the berm and ten at the water's edge, and lay them along a ruler.</p>
<table>
<tr><th>Place</th><th>Mean size (mm)</th></tr>
<tr><td>Berm</td><td>52</td></tr>
<tr><td>Water's edge</td><td>11</td></tr>
</table>
<p>After the storm of 14 November 2025 the berm stood 1.3 m higher than the week before.</p>
""",
    ),
}

_PAGE = """
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>{title}</title></head>
<body><h1>{title}</h1>{body}</body></html>
"""


def _package() -> str:
    items = "".join(f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in _CHAPTERS)
    order = "".join(f'<itemref idref="{name}"/>' for name in _CHAPTERS)
    return xml(f"""
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:6d4b3a52-5f0e-5b7b-9a55-2f6c1f6a0b11</dc:identifier>
<dc:title>A Pebble Guide to Brannoch Head</dc:title><dc:language>en</dc:language>
<dc:creator>Yūko Aoki</dc:creator><dc:date>2026-02-03</dc:date>
<dc:rights>CC0 1.0</dc:rights><meta property="dcterms:modified">2026-02-03T00:00:00Z</meta></metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>{items}</manifest>
<spine>{order}</spine></package>""")


def pebble_guide() -> bytes:
    """The book; its `mimetype` stands first and uncompressed, as the format asks."""
    entries = "".join(f'<li><a href="{name}.xhtml">{title}</a></li>' for name, (title, _) in _CHAPTERS.items())
    navigation = f"""
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="en">
<head><title>Contents</title></head><body><nav epub:type="toc"><ol>{entries}</ol></nav></body></html>"""
    container = """
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": xml(container),
        "book/package.opf": _package(),
        "book/nav.xhtml": xml(navigation),
        **{
            f"book/{name}.xhtml": xml(_PAGE.format(title=title, body=body)) for name, (title, body) in _CHAPTERS.items()
        },
    }
    return zip_bytes(parts, stored=frozenset({"mimetype"}))
