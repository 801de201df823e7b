"""The first remedy of a document that cannot be read is enough, and can work with what is installed."""

from __future__ import annotations

import pytest
from octavo_conformance.vectors.hostile import compound_file

PIXEL = bytes.fromhex("47494638396101000100800000000000ffffff2c00000000010001000002024401003b")
NO_PASSWORD = "Save a copy without encryption: no installed plugin takes a password for this format"


@pytest.fixture
def workbook(tmp_path):
    (tmp_path / "pay.xlsx").write_bytes(compound_file(("EncryptionInfo", "EncryptedPackage")))
    return "pay.xlsx"


def test_an_encrypted_document_that_no_plugin_takes_a_password_for_asks_for_none(octavo, workbook):
    ended = octavo("convert", workbook)
    assert (ended.code, "[source_encrypted]" in ended.stderr) == (3, True)
    assert NO_PASSWORD in ended.stderr
    assert "--password" not in ended.stderr


def test_a_library_gives_the_same_remedy_with_and_without_a_password(octavo, workbook):
    for options in ((), ("--password", "x")):
        ended = octavo("ingest", workbook, "--library", f"library{len(options)}", *options)
        assert ended.code == 3
        assert f"1 failed [source_encrypted]: {NO_PASSWORD}" in ended.out


def test_an_encrypted_document_whose_plugin_takes_a_password_asks_for_it(octavo, workbook, install):
    media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    install("safe", keys='capabilities = ["passwords"]', media_types=(media_type,))
    assert "Give the password with --password" in octavo("convert", workbook).stderr
