"""The name of a file says what its text does not, to those who may see the name (CLS-10, STO-5)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from octavo.builtins.classification.named_types import type_by_names
from octavo.settings.settings import Settings
from octavo_cli import main
from octavo_library import Library
from octavo_library.facade.corpora import CorpusSettings

SAID = "The witness was sworn and said that the tide was low that night.\n"


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["Smith_deposition_transcript.txt"], "deposition"),
        (["file:/cases/J.%20Smith%20Depo%202024-03-01.docx"], "deposition"),
        (["Form 10-K.html"], None),
        (["acme 10-K 2023.html"], "sec_filing"),
        (["expert_report.docx"], "expert_report"),
        (["Motion in limine.docx", "C:\\cases\\motion.docx"], "motion"),
        (["deposition.txt", "contract.txt"], None),
        (["deposition.txt", "scan0001.txt"], "deposition"),
        (["deposition notice.docx"], None),
        (["motion to exclude deposition.docx"], None),
        (["promotion.txt", "subcontractors.txt"], None),
        (["deposition/notes.txt"], None),
        (["deposition"], None),
        ([], None),
    ],
)
def test_names_state_a_type(names: list[str], kind: str | None) -> None:
    """CLS-10: whole words of the name alone; documents about another one, and names that disagree, state none."""
    assert type_by_names(names) == kind


def test_a_document_whose_text_says_nothing_has_the_type_of_its_name(tmp_path: Path) -> None:
    """CLS-10: told by the result, the document and the list; the classifier's own verdict stays, and a user's wins."""
    path = tmp_path / "Smith_deposition.txt"
    path.write_text(SAID)
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as library:
        result = library.ingest(path).result
        document = library.document(result.document_id)

        assert (result.document_type, document.document_type, document.result.document_type) == ("deposition",) * 3
        assert document.result.classification.document_type == "unknown"
        assert document.document_type_by is None
        assert [one.document_type for one in library.documents()] == ["deposition"]
        document.set_type("correspondence")
        assert library.document(result.document_id).document_type == "correspondence"


def test_the_text_is_stronger_than_the_name(tmp_path: Path) -> None:
    path = tmp_path / "contract.txt"
    questions = "\n".join(f"{n}  Q. Did you see it, number {n}?\n{n}  A. Yes, I saw number {n}." for n in range(1, 14))
    path.write_text(f"DEPOSITION OF JOHN SMITH\n\n{questions}\n")
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as library:
        assert library.ingest(path).result.document_type == "deposition"


def test_the_same_bytes_have_one_type_in_each_policy_context(tmp_path: Path) -> None:
    """STO-5: another corpus's name for the same bytes tells nothing, and two names that disagree are no type."""
    for folder, name in (("a", "deposition of Smith.txt"), ("b", "notes0001.txt"), ("c", "contract.txt")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(SAID)
    with Library.open(tmp_path / "library", settings=Settings(workers=1)) as library:
        library.corpora.create("wall", CorpusSettings(visibility="firewalled"))
        library.corpora.create("open", CorpusSettings())
        walled = library.ingest(tmp_path / "a" / "deposition of Smith.txt", corpus="wall").result
        told = library.ingest(tmp_path / "b" / "notes0001.txt", corpus="open").result

        assert (walled.document_type, told.document_type) == ("deposition", "unknown")
        assert library.document(told.document_id, corpus="wall").document_type == "deposition"
        assert library.document(told.document_id, corpus="open").document_type == "unknown"
        library.ingest(tmp_path / "c" / "contract.txt", corpus="open")
        assert library.document(told.document_id, corpus="open").document_type == "contract"
        library.ingest(tmp_path / "c" / "contract.txt", corpus="wall")
        assert library.document(told.document_id, corpus="wall").document_type == "unknown"


def test_the_command_shows_the_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """CLS-10."""
    monkeypatch.chdir(tmp_path)
    Path("Smith_deposition.txt").write_text(SAID)
    main(["ingest", "Smith_deposition.txt"])
    capsys.readouterr()

    assert main(["show", "Smith_deposition.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["result"]["document_type"] == "deposition"
