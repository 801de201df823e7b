"""Formats of plugins' own among XML, JSON, ZIP, OLE, text and binary files, recognised by the manifest alone (CLS-8)."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import octavo
import pytest
from octavo.formats.claimed import claimed_format
from octavo.formats.plugin_claim import PluginClaim
from octavo.runtime import Runtime
from octavo_contracts import FormatClaim, IngestionResult, ManifestError, PluginManifest, SourceView
from pydantic import ValidationError

KML_TYPE = "application/vnd.google-earth.kml+xml"
CBZ_TYPE = "application/vnd.comicbook+zip"
GEO_TYPE = "application/geo+json"

KML = """\
import re
from octavo_contracts import Conversion, Page, hookimpl

@hookimpl
def convert(source):
    places = re.findall("<name>(.*?)</name>", source.read_bytes().decode())
    text = "\\n".join(f"- {place}" for place in places)
    return Conversion(pages=(Page(number=1, kind="whole", markdown=text),), paginated=False)
"""
CBZ = """\
import zipfile
from octavo_contracts import Conversion, Page, hookimpl

@hookimpl
def convert(source):
    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        names = sorted(archive.namelist())
    pages = tuple(Page(number=n, markdown=f"Picture {name}") for n, name in enumerate(names, start=1))
    return Conversion(pages=pages, paginated=True)
"""
SAYS = """\
from octavo_contracts import Conversion, Page, hookimpl

@hookimpl
def convert(source):
    return Conversion(pages=(Page(number=1, kind="whole", markdown="as {name}"),), paginated=False)
"""

HARBOUR = '<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>Brannoch Head</name></Placemark></kml>'
KML_CLAIM = f"""
[[plugin.formats]]
media_type = "{KML_TYPE}"
within = "xml"
extensions = [".kml"]
root = "{{http://www.opengis.net/kml/2.2}}kml"
"""
CBZ_CLAIMS = f"""
[[plugin.formats]]
media_type = "{CBZ_TYPE}"
within = "zip"
extensions = [".cbz"]

[[plugin.formats]]
media_type = "{CBZ_TYPE}"
within = "zip"
members = ["ComicInfo.xml"]
"""


def zipped(**members: str) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return target.getvalue()


def claim(**fields: object) -> str:
    """A table `[[plugin.formats]]`."""
    return "\n[[plugin.formats]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items())


def converted(data: bytes | str, name: str, runtime: Runtime) -> tuple[IngestionResult, str]:
    given = octavo.convert(data if isinstance(data, bytes) else data.encode(), name=name, runtime=runtime)
    return given.result, given.text


def media_type(result: IngestionResult) -> str:
    assert result.classification is not None
    return result.classification.media_type


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (f'<?xml version="1.0" encoding="UTF-8"?>\n{HARBOUR}', "harbour.kml"),
        (f'<?xml version="1.0"?>{HARBOUR}', "harbour.xml"),
        (HARBOUR, "harbour"),
        (HARBOUR.replace("<kml", "<k:kml").replace("xmlns=", "xmlns:k="), "prefixed.kml"),
    ],
)
def test_a_root_element_makes_xml_a_plugins_format(make_plugin: Any, runtime: Runtime, data: str, name: str) -> None:
    make_plugin("kml", KML, media_types=[KML_TYPE], more=KML_CLAIM)
    result, text = converted(data, name, runtime)
    assert (media_type(result), result.quality_report.selected_tool) == (KML_TYPE, "kml")
    assert text == "Brannoch Head"


def test_other_xml_stays_what_it_is(make_plugin: Any, runtime: Runtime) -> None:
    """Another namespace, and a known format with the element deeper inside."""
    make_plugin("kml", KML, media_types=[KML_TYPE], more=KML_CLAIM)
    other, _ = converted('<?xml version="1.0"?><kml xmlns="urn:other"><name>x</name></kml>', "a.kml", runtime)
    assert media_type(other) == "application/xml"
    feed = f'<rss version="2.0"><channel><title>Tides</title>{HARBOUR}</channel></rss>'
    assert media_type(converted(feed, "a.kml", runtime)[0]) == "application/rss+xml"


def test_entities_are_not_expanded_to_find_a_root(source: Any) -> None:
    """Where a document declares any, its root is not looked for."""
    root = FormatClaim(media_type=KML_TYPE, within="xml", root="kml")
    claims = [PluginClaim(plugin="kml", format=root)]
    for entities, is_found in (("", True), ('<!DOCTYPE kml [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>', False)):
        opened: SourceView = source(entities + HARBOUR, media_type="application/xml", name=f"{is_found}.kml")
        assert (claimed_format(opened, "application/xml", claims) is not None) == is_found


@pytest.mark.parametrize(
    ("members", "name"),
    [({"01__jpg": "", "02__jpg": ""}, "tides.cbz"), ({"01__jpg": "", "ComicInfo__xml": "<ComicInfo/>"}, "tides.zip")],
)
def test_an_archive_is_claimed_by_a_member_or_by_its_name(
    make_plugin: Any, runtime: Runtime, members: dict[str, str], name: str
) -> None:
    make_plugin("cbz", CBZ, media_types=[CBZ_TYPE], more=CBZ_CLAIMS)
    result, text = converted(zipped(**members), name, runtime)
    assert (media_type(result), result.quality_report.selected_tool) == (CBZ_TYPE, "cbz")
    assert "Picture 01.jpg" in text
    assert result.classification is not None
    assert result.classification.routing_type == "unknown"


def test_a_known_document_is_not_claimed_through_its_container(make_plugin: Any, runtime: Runtime) -> None:
    """A Word document is a ZIP file with these members, and its name cannot make it another format."""
    more = claim(media_type=CBZ_TYPE, within="zip", members=["word/*", "[[]Content_Types].xml"])
    make_plugin("cbz", CBZ, media_types=[CBZ_TYPE], more=CBZ_CLAIMS + more)
    sample = Path(__file__).resolve().parents[3] / "docs" / "samples" / "staff-handbook.docx"
    result, _ = converted(sample.read_bytes(), "handbook.cbz", runtime)
    assert "wordprocessingml" in media_type(result)


def test_a_claim_of_a_known_type_has_no_effect(make_plugin: Any, runtime: Runtime) -> None:
    more = claim(media_type="text/html", within="xml", root="kml")
    make_plugin("greedy", SAYS.format(name="html"), media_types=["text/html"], more=more)
    assert media_type(converted(f'<?xml version="1.0"?>{HARBOUR}', "a.kml", runtime)[0]) == "application/xml"


GEO = '{"type": "FeatureCollection", "features": [{"properties": {"name": "Gauge 1"}}], "bbox": [0, 1]}'


@pytest.mark.parametrize(("keys", "is_claimed"), [(["type", "features"], True), (["name"], False), (["bbox"], True)])
def test_keys_of_the_outermost_object_make_json_a_plugins_format(
    make_plugin: Any, runtime: Runtime, keys: list[str], is_claimed: bool
) -> None:
    more = claim(media_type=GEO_TYPE, within="json", keys=keys)
    make_plugin("geo", SAYS.format(name="map"), media_types=[GEO_TYPE], more=more)
    result, text = converted(GEO, "map.geojson", runtime)
    assert (media_type(result) == GEO_TYPE, text == "as map") == (is_claimed, is_claimed)


def test_bytes_at_a_place_make_a_binary_file_a_plugins_format(make_plugin: Any, runtime: Runtime) -> None:
    more = claim(media_type="image/vnd.djvu", within="binary", magic=b"DJVM".hex(), offset=12)
    make_plugin("djvu", SAYS.format(name="djvu"), media_types=["image/vnd.djvu"], more=more)
    book = b"AT&TFORM\x00\x00\x01\x00DJVM" + bytes(range(256)) * 8
    assert media_type(converted(book, "book", runtime)[0]) == "image/vnd.djvu"
    assert media_type(converted(book.replace(b"DJVM", b"DJVX"), "book", runtime)[0]) != "image/vnd.djvu"


def test_the_most_specific_claim_is_taken_then_the_preferred_plugin(make_plugin: Any, runtime: Runtime) -> None:
    for name, priority, root in (("vague", 99, "kml"), ("exact", 10, "{http://www.opengis.net/kml/2.2}kml")):
        own = f"application/x-{name}"
        more = claim(media_type=own, within="xml", root=root)
        make_plugin(name, SAYS.format(name=name), media_types=[own], priority=priority, more=more)
    assert converted(HARBOUR, "a.kml", runtime)[1] == "as exact"
    make_plugin(
        "twin", SAYS.format(name="twin"), media_types=["application/x-twin"], priority=20,
        more=claim(media_type="application/x-twin", within="xml", root="{http://www.opengis.net/kml/2.2}kml"),
    )  # fmt: skip
    with Runtime() as fresh:
        assert converted(HARBOUR, "a.kml", fresh)[1] == "as twin"


def test_without_the_plugin_a_file_is_its_familys_again(make_plugin: Any, runtime: Runtime) -> None:
    assert media_type(converted(f'<?xml version="1.0"?>{HARBOUR}', "a.kml", runtime)[0]) == "application/xml"
    assert runtime.catalogue.claims() == ()


def test_a_plugin_that_the_caller_names_reads_what_it_reads(make_plugin: Any, runtime: Runtime) -> None:
    make_plugin("kml", KML, media_types=[KML_TYPE], more=KML_CLAIM)
    for plugin, own in (("plaintext", "application/xml"), ("kml", KML_TYPE)):
        given = octavo.convert(HARBOUR.encode(), name="a.xml", plugin=plugin, runtime=runtime)
        assert (media_type(given.result), given.result.quality_report.selected_tool) == (own, plugin)


def test_a_plugin_that_lacks_its_program_claims_nothing(make_plugin: Any, runtime: Runtime) -> None:
    program = '\n[[plugin.system]]\ncommand = "no-such-program"\ninstall = "apt install it"\n'
    make_plugin("kml", KML, media_types=[KML_TYPE], more=KML_CLAIM + program)
    assert media_type(converted(f'<?xml version="1.0"?>{HARBOUR}', "a.kml", runtime)[0]) == "application/xml"


def test_one_plugin_may_bring_several_formats(make_plugin: Any, runtime: Runtime) -> None:
    types = ["application/x-tide", "application/x-surge"]
    more = "".join(claim(media_type=own, within="xml", root=own.rpartition("-")[2]) for own in types)
    make_plugin("water", SAYS.format(name="water"), media_types=types, more=more)
    for own in types:
        root = own.rpartition("-")[2]
        result, text = converted(f'<?xml version="1.0"?><{root}>1.24</{root}>', f"a.{root}", runtime)
        assert (media_type(result), text) == (own, "as water")


@pytest.mark.parametrize(
    ("feed", "own"),
    [
        ('<rss version="2.0"><channel><title>Tides</title></channel></rss>', "application/rss+xml"),
        ('<feed xmlns="http://www.w3.org/2005/Atom"><title>Tides</title></feed>', "application/atom+xml"),
    ],
)
def test_formats_that_octavo_detects_need_no_claim(make_plugin: Any, runtime: Runtime, feed: str, own: str) -> None:
    """One plugin reads feeds of both kinds, by its media types alone."""
    make_plugin("feeds", SAYS.format(name="feed"), media_types=["application/rss+xml", "application/atom+xml"])
    given = octavo.convert(feed.encode(), name="tides.xml", plugin="feeds", runtime=runtime)
    assert (media_type(given.result), given.text) == (own, "as feed")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"media_type": KML_TYPE, "within": "xml"}, "needs a signature or extensions"),
        ({"media_type": KML_TYPE, "within": "xml", "members": ("a",)}, "members does not describe"),
        ({"media_type": "Kml", "within": "xml", "root": "kml"}, "media_type"),
        ({"media_type": KML_TYPE, "within": "xml", "root": "a b"}, "root"),
        ({"media_type": KML_TYPE, "within": "binary", "magic": "xy"}, "magic"),
        ({"media_type": KML_TYPE, "within": "pdf", "extensions": (".a",)}, "within"),
    ],
)
def test_a_claim_that_decides_nothing_is_refused(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        FormatClaim(**fields)


def test_a_format_is_one_of_the_plugins_media_types() -> None:
    text = (
        '[plugin]\nname = "kml"\ndescription = "Maps."\nhooks = ["convert"]\nmedia_types = ["text/x-other"]\n'
        f'{KML_CLAIM}\n[plugin.engine]\nlicence = "MIT"\n'
    )
    with pytest.raises(ManifestError, match="which `media_types` does not"):
        PluginManifest.from_toml(text)


def test_an_ole_file_is_claimed_by_a_stream(source: Any) -> None:
    opened: SourceView = source(_ole("Tides"), media_type="application/x-ole-storage", name="a.tid")
    claims = [
        PluginClaim(plugin="tides", format=FormatClaim(media_type="application/x-tides", within="ole", streams=(name,)))
        for name in ("Surges", "Tides")
    ]
    found = claimed_format(opened, "application/x-ole-storage", claims)
    assert found is not None
    assert found.format.streams == ("Tides",)


def _ole(stream: str) -> bytes:
    """The smallest compound file: a header, one table sector, one directory sector with the root and a stream."""
    header = bytearray(512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    header[30:32] = (9).to_bytes(2, "little")
    header[48:52] = (1).to_bytes(4, "little")
    header[56:60] = (4096).to_bytes(4, "little")
    table = b"\xfd\xff\xff\xff" + b"\xfe\xff\xff\xff" + b"\xff" * 504

    def entry(name: str, kind: int) -> bytes:
        encoded = name.encode("utf-16-le") + b"\0\0"
        return encoded.ljust(64, b"\0") + len(encoded).to_bytes(2, "little") + bytes([kind]) + bytes(61)

    return bytes(header) + table + (entry("Root Entry", 5) + entry(stream, 2)).ljust(512, b"\0")
