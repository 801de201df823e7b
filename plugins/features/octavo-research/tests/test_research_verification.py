"""`octavo verify` on exported reports and archives that somebody has altered (RES-3)."""

from __future__ import annotations

import html
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from octavo_conformance.loopback import Asked, Reply, serving
from octavo_digest.model_client import ModelAnswer
from octavo_library import Library
from octavo_research import Research, ResearchOptions

QUESTION = "How high was the highest surge, and how many harbour seals were counted?"
ALONE = Path(__file__).with_name("verify_alone.py")
Report = dict[str, Any]


class ClaimingModel:
    """A double of a model: it writes one claim, and quotes the first words of the first source."""

    identity = "claiming-double"

    def __init__(self, text: str) -> None:
        self._text = text

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    def structured(self, prompt: str, *, instructions: str, form: Any, owners: Sequence[Any] = ()) -> ModelAnswer[Any]:
        words = " ".join(prompt.split("<source-text>\n", 1)[1].split()[:6])
        claim = {"text": self._text, "part": 0, "quotes": [{"source": 1, "quote": words}]}
        output = form.model_validate({"claims": [claim]})
        return ModelAnswer(output=output, requests=1, input_tokens=100, output_tokens=10)


def exported(library: Library, folder: Path, *, claim: str | None = None) -> Path:
    model = None if claim is None else ClaimingModel(claim)
    research = Research(library, model=model)  # type: ignore[arg-type]  # the double has no account of its own
    options = ResearchOptions(supervision=False)
    run = research.start(QUESTION, options=options).research_id
    research.run(run)
    return research.export(run, folder)


def octavo(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "octavo", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60)


def verified(folder: Path) -> subprocess.CompletedProcess[str]:
    return octavo("verify", folder / "report.json", "--archive", folder / "archive")


def alone(folder: Path) -> int:
    command = [sys.executable, "-I", str(ALONE), str(folder)]
    return subprocess.run(command, capture_output=True, check=False, timeout=60).returncode


def alter(folder: Path, change: Callable[[Report], None]) -> None:
    path = folder / "report.json"
    report = json.loads(path.read_text(encoding="utf-8"))
    change(report)
    path.write_text(json.dumps(report), encoding="utf-8")


def claims(report: Report) -> list[dict[str, Any]]:
    return [claim for section in report["sections"] for claim in section["claims"] if claim["citations"]]


def retold(text: str) -> Callable[[Report], None]:
    return lambda report: claims(report)[0].update(text=text)


def recited(**changes: Any) -> Callable[[Report], None]:
    return lambda report: claims(report)[0]["citations"][0].update(changes)


def cited_twice(**changes: Any) -> Callable[[Report], None]:
    """The first citation again, with changes that contradict it."""

    def change(report: Report) -> None:
        citations = claims(report)[0]["citations"]
        citations.append({**citations[0], **changes})

    return change


def test_a_report_without_a_model_says_what_verifying_it_does_not_show(library: Library, tmp_path: Path) -> None:
    """RES-3."""
    folder = exported(library, tmp_path / "mailed")
    done = verified(folder)
    first, second = done.stdout.splitlines()
    assert (done.returncode, alone(folder)) == (0, 0)
    assert first.startswith("verified: ")
    assert second == "not shown: that a text is that of the document, version and title that its citation names"
    as_json = json.loads(octavo("verify", folder / "report.json", "--archive", folder / "archive", "--json").stdout)
    assert (as_json["status"], as_json["not_shown"]) == ("verified", second)


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (retold("The surge was 9.9 m."), 3, "equals none of its quotations"),
        (retold("The report says “the surge was nine metres high”"), 3, "equals none of its quotations"),
        (cited_twice(title="Another"), 3, "has two titles: "),
        (recited(version=0), 2, "a citation of claim 1 of section 1 needs `version`, a whole number from 1"),
        (recited(version=True), 2, "needs `version`, a whole number from 1"),
        (recited(version=float("nan")), 2, "the file is no valid JSON: NaN is no number of JSON"),
        (recited(source_text_hash="sha256:\0"), 2, "is no `sha256:` with 64 hex digits: 'sha256:\\x00'"),
        (recited(source_text_hash="sha256:../report"), 2, "is no `sha256:` with 64 hex digits"),
        (lambda report: report.update(sections=[]), 6, "unavailable: nothing was verified"),
        (lambda report: report.pop("sections"), 2, "this is no research report: the report needs `sections`"),
    ],
)
def test_an_altered_report_does_not_verify(
    library: Library, tmp_path: Path, change: Callable[[Report], None], code: int, said: str
) -> None:
    """RES-3: neither by the command nor by the program that knows nothing of Octavo."""
    folder = exported(library, tmp_path / "mailed")
    alter(folder, change)
    done = verified(folder)
    assert done.returncode == code, done.stderr
    assert said in done.stdout + done.stderr
    assert alone(folder) != 0


def test_two_documents_that_change_places_contradict_the_other_citations(library: Library, tmp_path: Path) -> None:
    folder = exported(library, tmp_path / "mailed")

    def swap(report: Report) -> None:
        cited = [one for claim in claims(report) for one in claim["citations"]]
        first = next(one for one in cited if sum(other["document_id"] == one["document_id"] for other in cited) > 1)
        second = next(one for one in cited if one["document_id"] != first["document_id"])
        for name in ("document_id", "version"):
            first[name], second[name] = second[name], first[name]

    alter(folder, swap)
    done = verified(folder)
    assert (done.returncode, alone(folder)) == (3, 1)
    assert "has two texts: sha256:" in done.stdout


def test_one_key_twice_is_refused_since_two_readers_could_read_two_reports(library: Library, tmp_path: Path) -> None:
    folder = exported(library, tmp_path / "mailed")
    path = folder / "report.json"
    path.write_bytes(path.read_bytes().rstrip()[:-1] + b',"sections":[]}')
    done = verified(folder)
    assert (done.returncode, alone(folder)) == (2, 1)
    assert "an object has the key 'sections' twice" in done.stderr


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(8 << 30)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither named pipes in folders nor /dev/zero")
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (_pipe, "is a link, a folder, a pipe or a device"),
        (_endless, "is a link, a folder, a pipe or a device"),
        (Path.mkdir, "is a link, a folder, a pipe or a device"),
        (_sparse, "is larger than 256 MiB"),
    ],
)
def test_an_archived_text_is_a_regular_file_of_a_size_that_octavo_writes(
    library: Library, tmp_path: Path, make: Callable[[Path], None], said: str
) -> None:
    folder = exported(library, tmp_path / "mailed")
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    named = claims(report)[0]["citations"][0]["source_text_hash"].removeprefix("sha256:")
    text = folder / "archive" / f"{named}.txt"
    text.unlink()
    make(text)
    done = verified(folder)
    assert (done.returncode, alone(folder)) == (6, 1)
    assert done.stdout.startswith("unavailable: an archived text cannot be read")
    assert said in done.stderr
    assert named in done.stderr


def test_a_report_has_at_most_the_size_that_is_documented(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(b'{"sections":[' + b'{"heading":"x","claims":[]},' * 700_000 + b'{"heading":"x","claims":[]}]}')
    done = octavo("verify", path, "--archive", tmp_path)
    assert done.returncode == 2
    assert "the file is larger than 16777216 bytes" in done.stderr


MARKED = (
    "The surge was ‘nine m’, ″nine″, ❝nine❞, &quot;nine&quot;, &ldquo;nine&rdquo;, &amp;ldquo;nine&amp;rdquo;, &#8220;nine&#x201d;, "
    "＂nine＂, 'nine metres', ``nine''. It is the harbour’s 5″ gauge, and L'eau."
)


def test_a_model_writes_no_quotation_marks_and_a_forger_adds_none(library: Library, tmp_path: Path) -> None:
    """RES-3: each kind of mark, and each character reference to one."""
    folder = exported(library, tmp_path / "mailed", claim=MARKED)
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    (claim,) = claims(report)
    nines = ", ".join(["nine"] * 6)
    assert claim["text"] == (
        f"The surge was nine m, {nines}, nine, nine metres, nine. It is the harbour’s 5″ gauge, and L'eau."
    )
    done = verified(folder)
    assert done.returncode == 0, done.stdout
    assert "that a claim, in the words of the model claiming-double, follows from its quotations" in done.stdout

    quoted = " ".join(claim["citations"][0]["quote"].split()[:3])
    alter(folder, retold(f"The source says “{quoted}” itself."))
    assert (verified(folder).returncode, alone(folder)) == (0, 0)
    for text in ("“nine metres”", '"nine metres"', "‘nine metres’", "«nine metres»", "&ldquo;nine metres&rdquo;"):
        alter(folder, retold(f"The source says {text} itself."))
        done = verified(folder)
        assert (done.returncode, alone(folder)) == (3, 1), text
        assert "'nine metres' in quotation marks, which no text that it cites has" in done.stdout


def test_a_character_reference_of_a_source_is_shown_as_it_stands(library: Library) -> None:
    source = "The zeppelin sign says &amp;lt;b&amp;gt; and &copy; R&D & more."
    library.ingest(source.encode(), name="sign.txt")
    research = Research(library)
    run = research.start("What does the zeppelin sign say?").research_id
    research.run(run)
    (line,) = [one for one in research.report(run).to_markdown().splitlines() if one.startswith("- “The zeppelin")]
    assert source in html.unescape(line), "a reader of markdown replaces each reference once"
    assert "R&D & more" in line


def test_a_report_whose_only_source_was_purged_is_not_verified(folder: Path, library: Library) -> None:
    research = Research(library)
    only = library.ingest(b"The zeppelin mast fell in 1925.", name="mast.txt").result.document_id
    run = research.start("When did the zeppelin mast fall?").research_id
    research.run(run)
    assert {one.document_id for one in research.report(run).citations()} == {only}
    assert octavo("research", "verify", run, "--library", folder).returncode == 0
    library.maintenance.purge(only, confirm=only)
    done = octavo("research", "verify", run, "--library", folder)
    assert done.returncode == 6
    assert done.stdout.strip() == "unavailable: nothing was verified: the report has no quotation"


def test_a_recording_that_is_nested_too_deeply_is_no_recording(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text("[" * 200_000 + "\n", encoding="utf-8")
    done = octavo("research", "replay", path)
    assert done.returncode == 2
    assert "is no recording of a research run: line 1 is no JSON object that can be read" in done.stderr


def test_counts_below_zero_are_no_counts_and_an_estimate_is_paid(library: Library) -> None:
    """RES-5, RES-6: a server that counts down would make a ceiling of tokens mean nothing."""
    pytest.importorskip("pydantic_ai", reason="the extra `model` is not installed")
    pytest.importorskip("openai", reason="the extra `model` is not installed")
    asked: list[bytes] = []

    def answer(one: Asked) -> Reply:
        asked.append(one.body)
        told = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": '{"claims": []}'}}
            ],
            "usage": {"prompt_tokens": -(10**9), "completion_tokens": -5, "total_tokens": -3},
        }
        return Reply(status=200, body=json.dumps(told).encode(), headers={"Content-Type": "application/json"})

    research = Research(library)
    with serving(answer) as port:
        options = ResearchOptions(model="m", model_url=f"http://127.0.0.1:{port}/v1", max_tokens=12_000)
        run = research.start(QUESTION, options=options).research_id
        research.run(run)
    failures = {one.reason: one.message for one in research.report(run).failures}
    assert (
        "the model server counted -1000000000 tokens, which is no count; an estimate"
        in failures["model_answer_invalid"]
    )
    assert "token_ceiling" in failures, "the ceiling binds"
    used = research.usage(run)
    assert used.requests == len(asked) >= 1
    assert used.input_tokens > 0
    assert used.output_tokens >= 2_000 * used.requests
