"""What a user wants to be converted with: for a call, for a document, for a corpus (CNV-1)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from octavo.runtime import Runtime
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_contracts import UnsupportedFormat, UsageError
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings
from octavo_library.storage import ArtifactStore

HEAD = "from octavo_contracts import Conversion, OcrFailed, Page, hookimpl\n@hookimpl\ndef convert(source):\n"
READS = HEAD + (
    "    text = source.read_bytes().decode()\n"
    "    return Conversion(pages=(Page(number=1, kind='whole', markdown=text, text=text),), paginated=False)\n"
)
TEXT, MARKDOWN = ["text/plain"], ["text/markdown"]


@pytest.fixture(scope="module")
def runtime(make_lasting_plugin: Any) -> Iterator[Runtime]:
    make_lasting_plugin("usual", READS, media_types=[*TEXT, *MARKDOWN], priority=99)
    make_lasting_plugin("other", READS, media_types=[*TEXT, *MARKDOWN], priority=98)
    make_lasting_plugin("marked", READS, media_types=MARKDOWN, priority=1)
    with Runtime(Settings(workers=1, sampling=False)) as made:
        yield made


@pytest.fixture
def profile(tmp_path: Path) -> str:
    path = tmp_path / "plain.toml"
    path.write_text('name = "plain"\n[routes]\nplain_text = ["usual"]\nmarkdown = ["usual"]\n')
    return str(path)


@pytest.fixture
def library(runtime: Runtime, tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library", runtime=runtime) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "notes.txt"
    path.write_text("The tide turned at noon.")
    return path


def tool(library: Library, document: str) -> str:
    return library.document(document).quality.selected_tool


class TestCorpus:
    def test_the_plugin_of_a_corpus_converts_what_it_reads_and_the_profile_the_rest(
        self, library: Library, profile: str
    ) -> None:
        library.corpora.create("harbour", CorpusSettings(plugin="marked", profile=profile))
        note = library.ingest(b"# The tide\n\nturned at noon", name="note.md", corpus="harbour").result
        plain = library.ingest(b"The harbour was full", name="plain.txt", corpus="harbour").result
        assert note.quality_report.selected_tool == "marked"
        assert note.quality_report.selected_tool_reason == "its corpus asked for it"
        assert plain.ingestion_status == "complete"
        assert plain.quality_report.selected_tool == "usual"
        said = plain.quality_report.selected_tool_reason
        assert said.startswith("place 1 for plain_text in profile its own")
        assert said.endswith("its corpus asked for marked, which does not read text/plain")
        assert plain.attempts[0].chosen_because == said

    def test_a_plugin_that_is_gone_is_passed_over_and_said_so(self, library: Library, profile: str) -> None:
        library.corpora.create("harbour", CorpusSettings(profile=profile))
        library.context.index.corpora.set_override(
            "departed", corpus_id=library.context.index.corpora.all()[0].corpus_id, by="user"
        )
        result = library.ingest(b"The harbour was full", name="plain.txt", corpus="harbour").result
        assert result.quality_report.selected_tool == "usual"
        assert "asked for departed, which is not installed" in result.quality_report.selected_tool_reason

    def test_it_holds_for_a_reconversion_as_well(self, library: Library, profile: str) -> None:
        library.corpora.create("harbour", CorpusSettings(profile=profile))
        document = library.ingest(b"The harbour was full", name="plain.txt", corpus="harbour").document
        assert tool(library, document.id) == "usual"
        library.context.index.corpora.set_override(
            "other", corpus_id=library.context.index.corpora.all()[0].corpus_id, by="user"
        )
        assert document.reconvert().tool == "other"

    def test_a_plugin_that_a_caller_names_and_that_does_not_read_it_is_still_refused(self, library: Library) -> None:
        result = library.ingest(b"The harbour was full", name="plain.txt", plugin="marked").result
        assert result.failure_receipts[0].reason_code == "unsupported_format"


class TestDocument:
    def test_the_plugin_of_a_document_lasts(self, library: Library, file: Path, profile: str) -> None:
        """Until it is taken back: for an ingestion again, a reconversion, a change of its type."""
        document = library.ingest(file, profile=profile).document
        assert document.plugin is None
        assert document.reconvert(plugin="other").is_active
        assert library.document(document.id).plugin == "other"
        library.ingest(file, profile=profile, reingest=True)
        assert tool(library, document.id) == "other"
        assert "the user, for this document, asked for it" in library.document(document.id).quality.selected_tool_reason
        list(library.ingest_many([file], reingest=True, profile=profile))
        assert tool(library, document.id) == "other"
        library.document(document.id).set_type("complaint")
        assert library.document(document.id).reconvert().tool == "other"
        library.document(document.id).set_plugin(None)
        library.ingest(file, profile=profile, reingest=True)
        assert tool(library, document.id) == "usual"

    def test_the_rules_of_a_profile_choose_for_one_reconversion(
        self, library: Library, file: Path, profile: str
    ) -> None:
        """ENG-25: a plugin that is set for the document or its corpus stays, and is not asked this once."""
        library.corpora.create("harbour", CorpusSettings(plugin="other"))
        document = library.ingest(file, corpus="harbour").document
        document.reconvert(plugin="other")
        assert document.reconvert(profile=profile).tool == "usual"
        assert document.reconvert().tool == "other"
        with pytest.raises(UsageError, match="only one"):
            document.reconvert(profile=profile, plugin="usual")
        with pytest.raises(UsageError, match="nonesuch"):
            document.reconvert(profile="nonesuch")
        assert [one.tool for one in document.versions] == ["other", "other", "usual", "other"]

    def test_it_is_stronger_than_that_of_the_corpus(self, library: Library, file: Path, profile: str) -> None:
        library.corpora.create("harbour", CorpusSettings(plugin="usual", profile=profile))
        document = library.ingest(file, corpus="harbour").document
        document.reconvert(plugin="other")
        library.ingest(file, corpus="harbour", reingest=True)
        assert tool(library, document.id) == "other"

    def test_a_plugin_that_is_named_for_one_call_is_stronger_and_does_not_last(
        self, library: Library, file: Path
    ) -> None:
        document = library.ingest(file).document
        document.reconvert(plugin="other")
        library.ingest(file, plugin="usual", reingest=True)
        assert tool(library, document.id) == "usual"
        assert library.document(document.id).plugin == "other"

    def test_a_version_that_is_only_looked_at_sets_nothing(self, library: Library, file: Path) -> None:
        document = library.ingest(file).document
        assert not document.reconvert(plugin="other", activate=False).is_active
        assert document.plugin is None

    def test_a_reconversion_that_fails_sets_nothing(self, library: Library, file: Path) -> None:
        document = library.ingest(file).document
        with pytest.raises(UnsupportedFormat):
            document.reconvert(plugin="marked")
        assert document.plugin is None

    def test_it_is_set_by_a_reconversion_that_another_process_goes_on_with(
        self, library: Library, runtime: Runtime, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class PowerCut(BaseException):
            """Ends the process that is not one."""

        def cut(*_: Any, **__: Any) -> None:
            raise PowerCut

        document = library.ingest(file).document
        with monkeypatch.context() as patch:
            patch.setattr(ArtifactStore, "put_version", cut)
            with pytest.raises(PowerCut):
                document.reconvert(plugin="other")
        library.close()
        with Library.open(library.path, runtime=runtime) as again:
            assert again.engine.wait_until_resumed(seconds=60)
            assert tool(again, document.id) == "other"
            assert again.document(document.id).plugin == "other"


class TestKnownDocuments:
    """A plugin or a profile that is named for a known document is not passed over in silence."""

    def test_what_was_not_applied_is_told(self, library: Library, file: Path, profile: str) -> None:
        library.ingest(file, plugin="usual")
        assert library.ingest(file).not_applied == ""
        assert library.ingest(file, plugin="usual").not_applied == ""
        told = library.ingest(file, plugin="other")
        assert told.reused
        assert told.not_applied == "not converted again: other was requested, but the active version was made by usual"
        assert library.ingest(file, profile=profile).not_applied == (
            f"not converted again: profile {profile} was requested, but the active version was made by profile measured"
        )
        [many] = library.ingest_many([file], plugin="other")
        assert many.not_applied == told.not_applied
        assert library.ingest(file, plugin="other", reingest=True).not_applied == ""

    def test_the_command_tells_it(
        self, library: Library, file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        library.ingest(file, plugin="usual")
        library.close()
        where = ["--library", str(library.path)]
        assert main(["ingest", str(file), "--with", "other", *where]) == 0
        out = capsys.readouterr().out
        assert "not converted again: other was requested" in out
        assert "--reingest" in out
        assert main(["ingest", str(file), "--with", "other", "--jsonl", *where]) == 0
        assert json.loads(capsys.readouterr().out)["not_applied"].startswith("not converted again: other")

    def test_the_commands_show_and_take_back_the_plugin_of_a_document(
        self, library: Library, file: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        document = library.ingest(file, plugin="usual").document
        library.close()
        where = ["--library", str(library.path)]
        assert main(["reconvert", document.id, "--with", "other", *where]) == 0
        capsys.readouterr()
        assert main(["show", document.id, *where]) == 0
        assert "other (set by hand)" in capsys.readouterr().out
        assert main(["activate", document.id, "1", *where]) == 0
        assert "--by-profile" in capsys.readouterr().err
        assert main(["reconvert", document.id, "--by-profile", *where]) == 0
        capsys.readouterr()
        assert main(["show", document.id, "--json", *where]) == 0
        assert json.loads(capsys.readouterr().out)["document"]["plugin"] is None
        assert main(["reconvert", document.id, *where]) == 2
        assert "--by-profile" in capsys.readouterr().err
