"""The version of the contract, independent of the versions of the distributions."""

from __future__ import annotations

CONTRACT_VERSION = "1.0"
"""Semantic version: a new field raises the minor, a changed or removed field the major (ENG-19)."""


def parse_contract_version(text: str) -> tuple[int, int]:
    """Parse "1.0" into (1, 0).

    Raises:
        ValueError: the text is not two whole numbers joined by a dot.
    """
    major, dot, minor = text.partition(".")
    if not (dot and major.isdecimal() and minor.isdecimal()):
        raise ValueError(f"contract version {text!r} is not of the form MAJOR.MINOR, for example '1.0'")
    return int(major), int(minor)


def host_accepts(plugin_contract: str, host_contract: str = CONTRACT_VERSION) -> bool:
    """True if a host can run a plugin: same major, and the plugin's minor is not above the host's."""
    plugin_major, plugin_minor = parse_contract_version(plugin_contract)
    host_major, host_minor = parse_contract_version(host_contract)
    return plugin_major == host_major and plugin_minor <= host_minor
