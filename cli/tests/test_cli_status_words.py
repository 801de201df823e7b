"""The commands of a library say the same of a document in the same words."""

from __future__ import annotations

import re

from octavo_conformance.pdf_writer import PdfFile, PdfPage, show_text

BODY = """
    from octavo_contracts import ConversionWarning

    warnings = tuple(ConversionWarning(code=f"left_out_{n}", message=f"Part {n} was left out.") for n in range(9))
    return Conversion(
        pages=(Page(number=1, kind="whole", markdown="High water at noon, low water at six."),), paginated=False,
        warnings=warnings,
    )
"""


READER = """
    words = "The keeper read the {words} and wrote the figure down."
    return Conversion(
        pages=tuple(Page(number=n, markdown=words, text=words) for n in (1, 2, 3)), paginated=True,
    )
"""


def test_a_document_has_one_status_in_every_command(octavo, documents):
    (documents / "tides.md").write_text("High water at noon, low water at six.\n")
    shown = octavo("ingest", "papers/tides.md", "--library", "library").out
    assert re.search(r"papers/tides.md +complete ", shown)
    assert "Status       complete\n" in octavo("show", "tides.md", "--library", "library").out
    assert octavo("show", "tides.md", "--quality", "--library", "library").out.startswith("Status       complete\n")
    versions = octavo("show", "tides.md", "--versions", "--library", "library").out
    assert versions.splitlines()[2].split()[-1] == "complete"


def test_what_is_left_out_is_named_with_a_command_that_shows_it(octavo, documents, install):
    install("noisy", body=BODY, keys="priority = 99")
    (documents / "tides.md").write_text("High water at noon, low water at six.\n")
    shown = octavo("ingest", "papers/tides.md", "--with", "noisy", "--library", "library").out
    (command,) = re.findall(r"For those of a document run, for example, octavo (show \w{8} --quality)", shown)
    assert "Part 3 was left out." in octavo(*command.split(), "--library", "library").out
    header = octavo("show", "tides.md", "--library", "library").out
    assert re.search(r"\d more findings, listed by --quality\n", header)


def test_pages_that_plugins_read_differently_are_told_by_convert_and_by_ingest(octavo, tmp_path, install):
    """QLT-3: doubts about the text of pages do not degrade a document, so both commands tell them without being asked."""
    lines = ("The ice stood.", "The buoy came back.", "The fog lay on the bay.")
    pages = [PdfPage(content=show_text(line, 72, 700)) for line in lines]
    (tmp_path / "gauge.pdf").write_bytes(PdfFile(pages=pages).to_bytes())
    for name, words in {"first": "gauge at dawn", "second": "dawn by gauges"}.items():
        install(
            name, body=READER.format(words=words), keys='capabilities = ["pages"]', media_types=("application/pdf",)
        )
    kinds = "".join(f'{kind} = ["first"]\n' for kind in ("text_native_pdf", "scanned_pdf", "image_heavy_pdf"))
    (tmp_path / "rules.toml").write_text(f'[routes]\n{kinds}[consensus]\npdf = ["first", "second"]\n')
    doubt = "pages 1–3: the readers of the pages differ; compare them with the original"
    options = ("--profile", "rules.toml")

    alone = octavo("convert", "gauge.pdf", "-o", "gauge.md", *options)
    assert re.fullmatch(
        rf"octavo: gauge\.pdf: complete, 3 pages, quality 0\.\d\d; {doubt} \[readings_differ\]\n", alone.stderr
    )
    assert octavo("convert", "gauge.pdf", "-o", "gauge.md", "-q", *options).stderr == ""
    verbose = octavo("convert", "gauge.pdf", "-o", "gauge.md", "-v", *options).stderr.splitlines()
    assert re.fullmatch(r"octavo: gauge.pdf: converted by first, quality 0\.\d\d, after \d+\.\d\d s", verbose[0])
    same = r"the readers of the page differ; so much is the same as first read it: words: second \d+%"
    assert [bool(re.search(rf"gauge.pdf, page {n}: {same} \[", line)) for n, line in enumerate(verbose[1:], 1)] == [
        True
    ] * 3
    told = octavo("convert", "gauge.pdf", "-d", "out", *options).stderr
    assert re.search(rf"gauge.pdf -> out/gauge.md: complete, .*; {doubt} \[readings_differ\]\n", told)
    shown = octavo("ingest", "gauge.pdf", "--library", "library", *options).out
    table, _, rest = shown.partition("1 document in")
    assert doubt in re.sub(r"\s+", " ", table)
    assert "Remarks: readings_differ in 1 document." in rest
    listed = octavo("show", "gauge.pdf", "--quality", "--library", "library").out
    assert listed.count("[readings_differ]") == 3
    header = octavo("show", "gauge.pdf", "--library", "library").out
    assert "readings_differ" in header
    assert "more finding" not in header, "one line tells all three"


def test_what_a_remark_means_is_said_in_words(octavo, tmp_path):
    """A damaged part of a mail is kept as far as it can be read, so the mail is complete."""
    (tmp_path / "a.eml").write_bytes(b"Subject: x\r\nContent-Transfer-Encoding: base64\r\n\r\nd2hvbGU=\r\nQ")
    said = "The part of type text/plain has characters that are not base64, or is cut off; what could be read was kept"
    assert f"; {said} [damaged_part]\n" in octavo("convert", "a.eml", "-d", "out").stderr
    assert re.search(r"a\.eml +complete .* damaged_part\n", octavo("ingest", "a.eml", "--library", "library").out)
