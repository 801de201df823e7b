"""HTML to canonical text: markup first, entities after (DIG-6, DIG-8)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_contracts import DigestPayload, EvidenceSnippet
from octavo_digest import canonical_html, deserialize_payload, serialize_payload
from octavo_text.canonical import canonicalise
from pydantic import ValidationError


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>a &lt; b and c &gt; d</p>", "a < b and c > d"),
        ("<p>one</p><p>two</p>", "one two"),
        ("<b>bo</b>ld and <i>it</i>alic", "bold and italic"),
        ("a<br>b<br/>c", "a b c"),
        ("<td>1</td><td>2</td>", "1 2"),
        ("<script>var a = '<p>no</p>';</script>yes", "yes"),
        ("<style>p { }</style><template>no</template><noscript>no</noscript>yes", "yes"),
        ("caf&eacute; &#x27;quoted&#x27; &amp;amp;", "café 'quoted' &amp;"),
        ("<!-- no --> yes <!-- <p>no</p> -->", "yes"),
        ("<p title='a > b'>text</p>", "text"),
        ("one\n\n  two\r\nthree\u00a0four", "one two three four"),
        ("e\u0301 \x00 \ud800", "é \ufffd \ufffd"),
        ("<p>never closed", "never closed"),
        ("text <b", "text <b"),
        ("text <!-- never closed", "text <!-- never closed"),
        ("a <!-- open > b", "a <!-- open > b"),
        ("5 < 6 and 7 > 6", "5 < 6 and 7 > 6"),
        ("<![foo[bar]]>text", "text"),
        ("a <![> b", "a b"),
        ("a <![ >b", "a b"),
        ("<![if !mso]>a<![endif]>b", "ab"),
        ("", ""),
    ],
)
def test_what_a_reader_sees_is_kept(markup: str, expected: str) -> None:
    assert canonical_html(markup).text == expected


def test_blocks_begin_where_elements_say() -> None:
    text = canonical_html("<h1>Tides</h1><p>High <b>water</b>.</p><ul><li>one</li><li>two</li></ul>")

    assert text.text == "Tides High water. one two"
    assert [text.text[place:].split()[0] for place in text.breaks] == ["High", "one", "two"]


@pytest.mark.parametrize(
    "piece", ["<", "<!--", "<a ", "<a <b", "</", "<!", "<?", "<![CDATA[", "&", "<script>", "<!-- >"]
)
def test_markup_that_never_closes_ends_in_linear_time(piece: str) -> None:
    started = time.process_time()

    canonical_html(piece * (300_000 // len(piece)))
    canonical_html(piece * (300_000 // len(piece)) + ">")

    assert time.process_time() - started < 8


@given(st.text(alphabet=st.sampled_from(list("<>&;!-/ab \n'\"=[]")), max_size=200))
def test_the_text_is_canonical_whatever_the_markup(markup: str) -> None:
    text = canonical_html(markup)

    assert canonicalise(text.text).text == text.text
    assert canonicalise(text) is text


def payload() -> DigestPayload:
    return DigestPayload(
        query_hash="0" * 8,
        summary="s",
        key_points=(),
        evidence_snippets=(EvidenceSnippet(text="a", locator="char:0-1", relevance_score=1.0),),
        original_chars=10,
        digest_chars=2,
        compression_ratio=0.2,
        source_text_hash="sha256:" + "0" * 64,
    )


def test_a_payload_goes_out_and_in_unchanged() -> None:
    """DIG-32."""
    assert deserialize_payload(serialize_payload(payload())) == payload()
    assert deserialize_payload(None) is None
    assert deserialize_payload("prose") is None
    assert deserialize_payload(b'{"version": "1.0"}') is None


def test_what_does_not_fit_is_not_written() -> None:
    with pytest.raises(ValidationError):
        serialize_payload(payload().model_copy(update={"summary": "s" * 2_001}))
