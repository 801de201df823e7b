"""Which addresses and URLs are refused: pure functions, nothing is connected to (DIG-27, CNV-15, DIG-34)."""

from __future__ import annotations

import ipaddress
import itertools
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from octavo_contracts import PolicyRefused
from octavo_sandbox import egress
from octavo_sandbox.egress import (
    CloudRequest,
    EgressPolicy,
    RefusingFetcher,
    check_cloud,
    cloud_refusal,
    parse_target,
    refusal,
)
from octavo_sandbox.egress.targets import follow

REFUSED = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.255.255",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "192.31.196.1",
    "192.52.193.1",
    "192.175.48.1",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:808:808::1",
    "3fff::1",
    "2620:4f:8000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fdff::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "2606:4700::5efe:7f00:1",
    "2606:4700::200:5efe:7f00:1",
    "4000::1",
    "1::1",
]

ALLOWED = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.1",
    "192.0.1.1",
    "192.0.3.1",
    "192.167.255.255",
    "192.169.0.1",
    "198.17.255.255",
    "198.20.0.1",
    "223.255.255.255",
    "93.184.216.34",
    "2606:4700::1111",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2a00:1450::1",
    "2620:4f:8001::1",
    "2003::1",
]


@pytest.mark.parametrize("address", REFUSED)
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    assert refusal(address)


@pytest.mark.parametrize("address", ALLOWED)
def test_public_addresses_are_not(address: str) -> None:
    assert refusal(address) is None


@pytest.mark.parametrize(
    "address", ["", "localhost", "127.1", "0x7f000001", "2130706433", "1.2.3", "1.2.3.4 ", "[::1]"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    assert refusal(address)


@given(st.integers(0, 2**32 - 1))
def test_no_ipv4_address_is_public_that_python_calls_private(number: int) -> None:
    address = ipaddress.IPv4Address(number)

    if (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
    ):
        assert refusal(str(address))
        assert refusal(f"::ffff:{address}")


@given(st.integers(0, 2**128 - 1))
def test_no_ipv6_address_is_public_outside_the_global_block(number: int) -> None:
    if number >> 125 != 1:
        assert refusal(str(ipaddress.IPv6Address(number)))


URLS = [
    "http://2130706433/",
    "http://017700000001/",
    "http://0x7f000001/",
    "http://0x7f.0x0.0x0.0x1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://0177.0.0.1/",
    "http://0/",
    "http://1.2.3.4.5/",
    "http://foo.0x7f/",
    "http://256.1.1.1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://１２７.0.0.1/",
    "http://127。0。0。1/",
    "http://exämple.org/",
    "http://127.0.0.1./",
    "http://localhost./",
    "http://example.org./",
    "http://user@example.org/",
    "http://user:secret@example.org/",
    "http://example.org@127.0.0.1/",
    "http://example.org\\@127.0.0.1/",
    "http://127.0.0.1\\@example.org/",
    "http://example.org#@127.0.0.1/",
    "http://example.org%00.evil.org/",
    "http://example.org/%00",
    "http://example.org/%0d%0aHost:%20evil",
    "http://exa mple.org/",
    "http://example.org/\r\nHost: evil",
    "http://example.org/\t",
    " http://example.org/",
    "http://example.org:22/",
    "http://example.org:8080/",
    "http://example.org:0/",
    "http://example.org:99999/",
    "http://example.org:abc/",
    "http://[::1/",
    "http://[::1%25eth0]/",
    "http://[not:an:address]/",
    "http://[::ffff:127.0.0.1]x/",
    "http:///path",
    "http://",
    "http://-bad.org/",
    "http://a..b/",
    "http://" + "a" * 64 + ".org/",
    "http://" + "a." * 140 + "org/",
    "http://example.org/" + "a" * 9_000,
    "ftp://example.org/",
    "file:///etc/passwd",
    "gopher://example.org/",
    "data:text/plain,hi",
    "javascript:alert(1)",
    "//example.org/",
    "example.org",
    "",
]


@pytest.mark.parametrize("url", URLS)
def test_urls_that_readers_disagree_about_are_refused(url: str) -> None:
    with pytest.raises(PolicyRefused, match="not fetched"):
        parse_target(url)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://example.org", ("http", "example.org", 80, "/")),
        ("HTTPS://EXAMPLE.org/a?b=c#part", ("https", "example.org", 443, "/a?b=c")),
        ("https://example.org:443/@user", ("https", "example.org", 443, "/@user")),
        ("https://example.org:80/", ("https", "example.org", 80, "/")),
        ("http://93.184.216.34/", ("http", "93.184.216.34", 80, "/")),
        ("http://[2606:4700:0:0::1111]/", ("http", "2606:4700::1111", 80, "/")),
        ("https://xn--exmple-cua.org/ü", ("https", "xn--exmple-cua.org", 443, "/%C3%BC")),
        ("https://a_b.example.org/%7Ex", ("https", "a_b.example.org", 443, "/%7Ex")),
    ],
)
def test_plain_urls_are_read(url: str, expected: tuple[str, str, int, str]) -> None:
    target = parse_target(url)

    assert (target.scheme, target.host, target.port, target.path) == expected
    assert parse_target(target.url) == target


def test_the_host_header_has_a_port_only_where_it_is_not_the_schemes() -> None:
    assert parse_target("https://example.org:80/").authority == "example.org:80"
    assert parse_target("http://[2606:4700::1]/").authority == "[2606:4700::1]"


@pytest.mark.parametrize("location", [*URLS[:12], "http://user@example.org/", "ftp://x/", "/a\r\nb", "\\\\evil.org\\x"])
def test_a_redirect_is_read_as_strictly(location: str) -> None:
    with pytest.raises(PolicyRefused):
        follow(parse_target("https://example.org/"), location)


def test_a_redirect_may_be_relative() -> None:
    assert follow(parse_target("https://example.org/a/b"), "../c?d").url == "https://example.org/c?d"


def test_the_package_has_no_other_names() -> None:
    assert all(hasattr(egress, name) for name in egress.__all__)
    assert not hasattr(egress, "urlopen")


# -- policy -------------------------------------------------------------------------------------------------------


def test_by_default_nothing_is_fetched() -> None:
    with pytest.raises(PolicyRefused, match="network access is disabled"):
        EgressPolicy().check("example.org")
    with pytest.raises(PolicyRefused, match="an unnamed host"):
        RefusingFetcher().fetch("http://[")


@pytest.mark.parametrize(
    ("allow", "deny", "host", "refused"),
    [
        (None, frozenset(), "example.org", False),
        (frozenset({"example.org"}), frozenset(), "example.org", False),
        (frozenset({"Example.org."}), frozenset(), "www.example.org", False),
        (frozenset({"example.org"}), frozenset(), "badexample.org", True),
        (frozenset({"example.org"}), frozenset(), "example.org.evil.net", True),
        (frozenset(), frozenset(), "example.org", True),
        (None, frozenset({"evil.net"}), "www.evil.net", True),
        (frozenset({"example.org"}), frozenset({"private.example.org"}), "private.example.org", True),
    ],
)
def test_allow_and_deny_lists(allow, deny, host: str, refused: bool) -> None:
    policy = EgressPolicy(enabled=True, allow=allow, deny=deny)

    if refused:
        with pytest.raises(PolicyRefused, match="list"):
            policy.check(host)
    else:
        policy.check(host)


OPEN = {"user_enabled": True, "source_outbound": True}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "cloud services are disabled"),
        ({"user_enabled": True}, "its source does not allow cloud services"),
        ({**OPEN, "visibility": "firewalled"}, "its corpus is firewalled"),
        ({**OPEN, "corpus_tags": ["privileged"]}, "the document is privileged"),
        ({**OPEN, "visibility": "cloud_allowed", "source_tags": ["local_only"]}, "the document is local_only"),
        ({**OPEN, "visibility": "cloud_allowed"}, None),
        ({**OPEN, "visibility": "ambient"}, None),
    ],
)
def test_the_cloud_gate(fields: dict, reason: str | None) -> None:
    """CNV-15, each condition."""
    assert cloud_refusal(CloudRequest(**fields)) == reason


_TAGS = ((), ("privileged",), ("local_only",), ("normal",), ("normal", "privileged"))


@pytest.mark.parametrize("visibility", ["ambient", "cloud_allowed", "firewalled", "", "something new"])
def test_the_cloud_gate_is_open_in_the_cases_of_the_specification_and_in_no_other(visibility: str) -> None:
    """CNV-15, the whole table: corpus, tags of corpus and source, the user's switch, the source's own policy."""
    cases = list(itertools.product(_TAGS, _TAGS, (False, True), (False, True)))
    opened = 0
    for corpus_tags, source_tags, enabled, outbound in cases:
        tagged = {"privileged", "local_only"} & {*corpus_tags, *source_tags}
        may = visibility in ("cloud_allowed", "ambient") and not tagged and enabled and outbound
        request = CloudRequest(
            user_enabled=enabled,
            visibility=visibility,
            corpus_tags=corpus_tags,
            source_tags=source_tags,
            source_outbound=outbound,
        )
        assert (cloud_refusal(request) is None) == may, request
        opened += may
    assert len(cases) == 100
    assert opened == (4 if visibility in ("cloud_allowed", "ambient") else 0)


def test_a_refusal_of_the_gate_is_raised_and_logged(caplog) -> None:
    with caplog.at_level(logging.WARNING), pytest.raises(PolicyRefused, match="hosted OCR was not called"):
        check_cloud(CloudRequest(), service="hosted OCR")

    assert "egress.refused service=hosted OCR reason=cloud services are disabled" in caplog.text
    check_cloud(CloudRequest(**OPEN), service="hosted OCR")
