"""Feeds as entries, and XML that no reader knows."""

from __future__ import annotations

import pytest
from octavo_contracts import SourceCorrupt

RSS, ATOM, XML = "application/rss+xml", "application/atom+xml", "application/xml"
NEWS = """<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Harbour news</title><link>https://example.org/</link><description>Tides &amp; ships</description>
<language>en-gb</language><pubDate>Tue, 02 Jan 2024 08:00:00 GMT</pubDate><ttl>60</ttl>
<item><title>Fog &lt;b&gt;again&lt;/b&gt;</title><link>https://example.org/fog</link><guid>77</guid>
<pubDate>Mon, 01 Jan 2024 10:00:00 +0100</pubDate><dc:creator>Ann Lee</dc:creator><category>weather</category>
<description>The harbour is closed.</description>
<content:encoded><![CDATA[<p>The harbour is closed. See the <a href="https://example.org/plan">plan</a>.</p><ul><li>No ferry</li></ul>]]></content:encoded>
<enclosure url="https://example.org/fog.mp3" type="audio/mpeg" length="1"/><dc:coverage>North pier</dc:coverage></item>
<item><description>A note without a title.</description></item></channel></rss>"""


def codes(conversion) -> list[str]:  # type: ignore[no-untyped-def]  # a Conversion
    return [warning.code for warning in conversion.warnings]


def test_an_rss_feed_is_its_entries_with_links_dates_people_and_text(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    conversion = convert(NEWS, RSS)
    assert conversion.pages[0].markdown == (
        "# [Harbour news](https://example.org/)\n\nDate: 2024-01-02T08:00:00+00:00\n\nTides & ships\n\n"
        "## [Fog again](https://example.org/fog)\n\n"
        "Date: 2024-01-01T10:00:00+01:00\\\nBy: Ann Lee\\\nCategories: weather\\\n"
        "File: <https://example.org/fog.mp3>\\\ncoverage: North pier\n\n"
        "The harbour is closed. See the [plan](https://example.org/plan).\n\n- No ferry\n\n---\n\n"
        "A note without a title."
    )
    metadata = conversion.metadata
    assert (metadata.title, metadata.date, metadata.language) == ("Harbour news", "2024-01-02T08:00:00+00:00", "en-gb")
    assert metadata.fields == {"entries": 2}


def test_an_atom_feed_is_read_with_markup_of_its_own(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    feed = """<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">Tide &amp;amp; time</title>
    <link rel="self" href="https://example.org/feed"/><link href="https://example.org/"/><updated>2024-01-02T00:00:00Z</updated>
    <entry><title>Ebb</title><link rel="alternate" href="https://example.org/ebb"/><author><name>Bo</name></author>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Low <em>water</em> at noon.</p></div></content></entry></feed>"""
    markdown = convert(feed, ATOM).pages[0].markdown
    assert markdown.startswith("# [Tide & time](https://example.org/)")
    assert markdown.endswith("## [Ebb](https://example.org/ebb)\n\nBy: Bo\n\nLow *water* at noon.")


def test_a_feed_of_rss_1_has_its_items_beside_the_channel(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    feed = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>Old</title>
    <items><rdf:Seq/></items></channel><item><title>One</title><link>https://example.org/1</link></item></rdf:RDF>"""
    assert "## [One](https://example.org/1)" in convert(feed, RSS).pages[0].markdown


def test_faults_of_written_feeds_are_mended_and_said(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    conversion = convert("<rss version='2.0'><channel><title>Fish & chips&nbsp;\x0bhere</title></channel></rss>", RSS)
    assert conversion.pages[0].markdown == "# Fish & chips here"
    assert codes(conversion) == ["encoding_repaired"]


@pytest.mark.parametrize(("media_type", "text"), [(RSS, "<rss><channel>"), (XML, "<a><b></a>"), (ATOM, "no markup")])
def test_what_is_no_xml_is_corrupt(convert, media_type, text) -> None:  # type: ignore[no-untyped-def]  # fixture
    with pytest.raises(SourceCorrupt, match="not well-formed"):
        convert(text, media_type)


def test_unknown_xml_is_text_by_elements_and_said_so(convert) -> None:  # type: ignore[no-untyped-def]  # fixture
    text = """<?xml version="1.0"?><log ship="Ann"><note>Fog <i>all</i> day</note>tail
    <reading><hour>1</hour><depth unit="m">9</depth></reading><reading><hour>2</hour><depth unit="m">8|7</depth></reading>
    <deep><er><est>x_y</est></er></deep></log>"""
    conversion = convert(text, XML)
    assert conversion.pages[0].markdown == (
        "- **log** (ship = Ann)\n  - **note**: Fog all day\n  - tail\n\n**reading**, 2 records:\n\n"
        "| hour | depth | depth.unit |\n| --- | --- | --- |\n| 1 | 9 | m |\n| 2 | 8\\|7 | m |\n\n"
        "  - **deep**\n    - **er**\n      - **est**: x_y"
    )
    assert codes(conversion) == ["generic_xml"]
    assert conversion.pages[0].tables[0].rows[2] == ("2", "8|7", "m")
