"""The settings of a corpus on the screen: shown with their origin, changed as by the command line (UI-3)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from octavo import Settings
from octavo_cli import main
from octavo_dashboard import Access, DashboardOptions
from octavo_dashboard.described_changes import CorpusSettingsForm
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_sandbox.preflight import RAISABLE
from starlette.testclient import TestClient
from web_clients import BROWSER, csrf_of, open_client

PAGE = "/corpora/settings"
FORM = {
    "visibility": "cloud_allowed",
    "sensitivity": "normal",
    "cloud": "on",
    "retention": "30",
    "profile": "thorough",
    "plugin": "plaintext",
    "entities": "off",
    "briefs": "on",
    "chunking": "fixed-500-900-100",
    "cost_limit": "2.5",
    "max_pages": "20000",
}


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", settings=Settings(sampling=False, workers=1)) as opened:
        opened.corpora.create("tides")
        yield opened


@pytest.fixture
def program(own: Library) -> Iterator[TestClient]:
    with open_client(own) as client:
        yield client


def shown(client: TestClient) -> dict[str, tuple[str, str]]:
    """Setting → value and origin, as the twin tells them."""
    view = client.get(f"{PAGE}.json", params={"corpus": "tides"}).json()
    return {one["name"]: (one["value"], one["origin"]) for one in view["settings"]}


def test_every_setting_of_a_corpus_is_shown_and_has_a_field() -> None:
    """A setting that a release adds is missed neither on the screen nor in the form (UI-3)."""
    fields = set(CorpusSettingsForm.model_fields) - {"corpus", "seen"}
    assert fields == (set(CorpusSettings.__dataclass_fields__) - {"limits"}) | set(RAISABLE)


def test_settings_are_changed_as_the_command_line_changes_them(
    program: TestClient, own: Library, tmp_path: Path
) -> None:
    """UI-3: the same corpus, whether a browser or `octavo corpus set` made it; what has no field stays."""
    assert shown(program)["retention"] == ("everything", "default")
    answer = program.post(PAGE, data={"corpus": "tides", **FORM})
    assert answer.status_code == 200, answer.text
    assert set(answer.json()["changed"]) == set(FORM) - {"sensitivity"}
    options = [f"--{name.replace('_', '-')}={value}" for name, value in FORM.items() if name not in RAISABLE]
    arguments = ["corpus", "create", "other", *options, "--limit", "max_pages=20000", "--library", str(own.path)]
    assert main(arguments) == 0
    assert own.corpora.get("tides").settings == own.corpora.get("other").settings
    told = shown(program)
    assert all(told[name] == (value, "corpus") for name, value in FORM.items() if name != "sensitivity")
    assert told["max_bytes"] == ("", "default")
    answer = program.post(PAGE, data={"corpus": "tides", "entities": "default", "max_pages": "", "cost_limit": ""})
    assert set(answer.json()["changed"]) == {"entities", "max_pages", "cost_limit"}
    settings = own.corpora.get("tides").settings
    assert (settings.entities, settings.limits, settings.cost_limit) == (None, {}, None)
    assert (settings.retention, settings.briefs, settings.chunking) == (30, True, "fixed-500-900-100")


def test_each_change_is_in_the_audit_log(program: TestClient, own: Library) -> None:
    """Also that of the retention, whichever form sends it (UI-3, ENG-29)."""
    program.post(PAGE, data={"corpus": "tides", "visibility": "firewalled"})
    program.post("/corpora/retention", data={"corpus": "tides", "retention": "7"})
    lines = [json.loads(line) for line in (own.path / "logs" / "audit.jsonl").read_text().splitlines()]
    changes = [one for one in lines if one.get("action") == "corpus_changed"]
    assert [(one["visibility"], one["retention"]) for one in changes] == [
        ("firewalled", "everything"),
        ("firewalled", 7),
    ]


@pytest.mark.parametrize(
    "field",
    [
        {"visibility": "everyone"},
        {"sensitivity": "secret"},
        {"cloud": "default"},
        {"retention": "soon"},
        {"retention": "-1"},
        {"profile": "no such profile"},
        {"profile": "/etc/passwd"},
        {"plugin": "no-such-plugin"},
        {"entities": "yes"},
        {"chunking": "fixed"},
        {"cost_limit": "nan"},
        {"cost_limit": "-1"},
        {"max_pages": "0"},
        {"max_pages": "٣"},
        {"max_ratio": "9" * 40},
        {"visibility": "firewalled", "cloud": "on"},
        {"corpus": "no such corpus"},
    ],
)
def test_a_value_that_is_none_is_refused_and_changes_nothing(
    program: TestClient, own: Library, field: dict[str, str]
) -> None:
    """The whole form is refused, with a reason and without a path of the machine (UI-3)."""
    before = own.corpora.get("tides").settings
    answer = program.post(PAGE, data={"corpus": "tides", "briefs": "on", **field})
    assert (answer.status_code, own.corpora.get("tides").settings) == (400, before)
    assert "/etc" not in answer.text


def test_a_profile_of_the_command_line_stays_and_no_other_file_can_be_named(
    program: TestClient, own: Library, tmp_path: Path
) -> None:
    """A token of the owner reads no file of the server by naming it as a profile (UI-3)."""
    (tmp_path / "mine.toml").write_text('base = "seed"\n')
    own.corpora.update("tides", CorpusSettings(profile=str(tmp_path / "mine.toml")))
    assert shown(program)["profile"] == ("own file", "corpus")
    program.post(PAGE, data={"corpus": "tides", "profile": "own file", "briefs": "off"})
    assert own.corpora.get("tides").settings == CorpusSettings(profile=str(tmp_path / "mine.toml"), briefs=False)
    assert str(tmp_path) not in program.get(f"{PAGE}.json", params={"corpus": "tides"}).text
    (tmp_path / "other.toml").write_text('base = "seed"\n')
    refused = program.post(PAGE, data={"corpus": "tides", "profile": str(tmp_path / "other.toml")})
    assert (refused.status_code, str(tmp_path) in refused.text) == (400, False)


def test_a_browser_needs_the_token_and_the_settings_that_it_has_seen(own: Library) -> None:
    """CSRF; and a page that was open too long opens no corpus again that was closed meanwhile (UI-3, STO-5)."""
    with open_client(own, **BROWSER) as user:
        page = user.get(PAGE, params={"corpus": "tides"}).text
        (seen,) = re.findall(r'name="seen" value="([0-9a-f]{32})"', page)
        form = {"corpus": "tides", "seen": seen, "visibility": "ambient", "briefs": "on"}
        same = {"sec-fetch-site": "same-origin", "accept": "text/html"}
        for csrf in ("", "0" * 64):
            assert user.post(PAGE, data={**form, "csrf": csrf}, headers=same).status_code == 403
        own.corpora.update("tides", CorpusSettings(visibility="firewalled"))
        form["csrf"] = csrf_of(page)
        answer = user.post(PAGE, data=form, headers=same)
        assert (answer.status_code, own.corpora.get("tides").settings.visibility) == (409, "firewalled")
        (form["seen"],) = re.findall(
            r'name="seen" value="([0-9a-f]{32})"', user.get(PAGE, params={"corpus": "tides"}).text
        )
        done = user.post(PAGE, data=form, headers=same)
        assert (done.status_code, done.headers["location"]) == (303, "/corpora")
        assert own.corpora.get("tides").settings.briefs is True


def test_a_corpus_and_a_read_only_server_change_no_settings(own: Library) -> None:
    """Settings of a corpus are its owner's, who gives tokens to others (UI-3, STO-5)."""
    access = Access.of_tokens([("t" * 40, "tides"), ("o" * 40, None)])
    with open_client(own, DashboardOptions(access=access)) as client:
        mine = {"authorization": f"Bearer {'t' * 40}"}
        assert client.get(f"{PAGE}.json", params={"corpus": "tides"}, headers=mine).status_code == 403
        answer = client.post(PAGE, data={"corpus": "tides", "visibility": "ambient"}, headers=mine)
        assert (answer.status_code, answer.json()["reason"]) == (403, "owners_only")
    with open_client(own, DashboardOptions(read_only=True)) as client:
        assert client.post(PAGE, data={"corpus": "tides", "briefs": "on"}).status_code == 403
        page = client.get(PAGE, params={"corpus": "tides"}, headers=BROWSER).text
        assert "<select" not in page
        assert ">ambient<" in page
    assert own.corpora.get("tides").settings == CorpusSettings()
