"""`octavo convert`: convert documents to markdown, text, HTML, JSON or chunks; nothing is stored.

JSON:
    `--json` (or `--to json`) prints one object:

    - `result`: an `IngestionResult` (`octavo schema ingestion_result`).
    - `markdown`: the converted text with its structure; empty if the conversion failed.
    - `canonical_text`: the plain text that offsets count in; empty if the conversion failed.

    `--to chunks` prints one object a chunk: `source`, `chunk_id`, `text`, `page` (from 1, or null), `start` and `end`
    (offsets in the canonical text), `document_id`, `title`.

    `--to pages` prints one object a page: `source`, `document_id`, `page` (from 1; null for a document without pages, which
    is one object), `label`, `text` (canonical), `markdown`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from octavo.plugins.prestart import start_workers_ahead

from .toolkit import immediate_exit
from .toolkit.options import FormChoice, conversion_options, json_option, named_limit
from .toolkit.output_endings import form_by_ending, refuse_other_format
from .toolkit.running import octavo_command
from .toolkit.standard_input import stdin_is_piped
from .toolkit.warning_lines import skip_conversions

if TYPE_CHECKING:
    from octavo.conversion.output_formats import OutputFormat
    from octavo_contracts import ExitCode

STDIN = "-"
STDIN_NAME = "stdin"
FORMATS = ("md", "text", "html", "json", "chunks", "pages")
"""As `octavo.conversion.output_formats.OutputFormat`, which is not imported for the help; a test compares."""


@octavo_command(name="convert")
@click.argument("paths", metavar="PATH...", nargs=-1, type=click.Path(allow_dash=True, readable=False))
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, readable=False),
    help="Write one document to a file, atomically. The ending of another format, such as .docx, needs --to.",
)
@click.option(
    "-d",
    "--output-dir",
    metavar="DIR",
    type=click.Path(file_okay=False, readable=False),
    help="Write each document to a file in this folder; the tree of given folders is kept.",
)
@click.option(
    "--to",
    "form",
    type=FormChoice(FORMATS),
    help="Form of the output; markdown by default, or what the ending of --output says (.md, .txt, .html, .json, .chunks.jsonl, "
    ".pages.jsonl). chunks and pages are JSON Lines.",
)
@click.option("--force", is_flag=True, help="With -d or --images: replace files that are there in these folders.")
@click.option("--jobs", metavar="N", type=click.IntRange(min=1), help="Documents converted at once; one a core.")
@click.option(
    "--name",
    metavar="NAME",
    help="Name of the document on standard input, `stdin` by default; its extension helps to detect text formats.",
)
@click.option(
    "--images",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Write the images of each document to a folder of its own in this folder, and link them from the markdown.",
)
@click.option("--page-marks", is_flag=True, help="Put `<!-- page N -->` before each page.")
@click.option(
    "--limit",
    "limits",
    metavar="NAME=NUMBER",
    multiple=True,
    callback=lambda _context, _option, given: dict(map(named_limit, given)),
    help="A limit on the size of documents, such as max_pages=20000 or max_image_pixels=200000000. May be repeated.",
)
@json_option
@conversion_options
def command(
    paths: tuple[str, ...],
    output: str | None,
    output_dir: str | None,
    form: str | None,
    force: bool,
    jobs: int | None,
    name: str | None,
    images: str | None,
    page_marks: bool,
    as_json: bool,
    **options: Any,
) -> ExitCode:
    """Convert documents to markdown, text, HTML, JSON or chunks; nothing is stored.

    A PATH is a file, a folder, the URL of a page, a pattern such as 'papers/**/*.pdf', or - for standard input, which is
    also read where something is piped in and no PATH is given. URLs are fetched only where the settings allow their hosts
    (`web.enabled`, `web.allow`). Several documents need -d, or --to chunks or pages. With -d, the files of a zip archive and
    the attachments of a mail are documents of their own, in a folder named like the archive or the mail.

    If a document cannot be converted, nothing is printed on standard output (with --json: its result), and the exit code
    is that of its reason; of several documents the strongest code counts, and stderr lists all failures at the end with
    their remedies. If it is converted but has no text, the exit code is 4 and stderr says why; for a page that is really
    blank it is 0. With -d, an existing file is not replaced without --force: its document is skipped, and the exit
    code is 2.

    --images writes the images that PDF, office, EPUB and mail documents, notebooks and web pages hold; each document has a folder
    below DIR. An image that the markdown has no place for is linked at the end of its page. Of other formats stderr says that no
    images are read from them.
    """
    immediate_exit.skip_teardown()
    skip_conversions()
    chosen = _form(form, as_json=as_json, output=output)
    if not paths and stdin_is_piped():
        paths = (STDIN,)
    if not paths:
        raise click.UsageError("missing argument 'PATH...'")
    _check_options(paths, output, output_dir, chosen, force=force, name=name, page_marks=page_marks, images=images)
    start_workers_ahead()  # before anything large is imported here

    from octavo.conversion.output_formats import OutputFormat

    from .conversions.inputs import find_inputs

    found = find_inputs(paths, stdin_name=name or STDIN_NAME, without=output_dir)
    if output_dir is None and not found.is_many:
        from .conversions.single import convert_one

        if jobs is not None:
            raise click.UsageError("--jobs is for several documents")
        folder = None
        if images is not None:
            from .conversions.image_files import ImageFolder

            folder = ImageFolder(images, force=force)
        return convert_one(
            paths[0],
            output=output,
            form=OutputFormat(chosen),
            name=name or STDIN_NAME,
            page_marks=page_marks,
            images=folder,
            options=options,
        )
    if output is not None:
        raise click.UsageError(f"-o takes one document, and {len(found.inputs)} were given; give -d DIR")
    if output_dir is None and not OutputFormat(chosen).is_lines:
        raise click.UsageError("several documents need a folder for their files: give -d DIR" + _meant_output(paths))
    asked = _Asked(force=force, jobs=jobs, name=name or STDIN_NAME, page_marks=page_marks, images=images)
    return _convert_many(found, output_dir, OutputFormat(chosen), asked, **options)


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """Options of a conversion of many documents, as `BatchJob`."""

    force: bool
    jobs: int | None
    name: str
    page_marks: bool
    images: str | None


def _convert_many(found: Any, output_dir: str | None, form: OutputFormat, asked: _Asked, **options: Any) -> ExitCode:
    from octavo.conversion.options import ConvertOptions
    from octavo.runtime import Runtime
    from octavo_sandbox.filesystem.output_folder import OutputFolder
    from octavo_sandbox.filesystem.output_names import output_names

    from .conversions.batch import BatchJob, convert_batch
    from .conversions.image_files import ImageFolder
    from .toolkit.configured import settings
    from .toolkit.running import cancelled_by_interrupt
    from .toolkit.standard_input import read_standard_input

    folder = OutputFolder(output_dir, force=asked.force) if output_dir is not None else None
    has_stdin = any(one.source == STDIN for one in found.inputs)
    with cancelled_by_interrupt() as cancel, Runtime(settings()) as runtime:
        job = BatchJob(
            found=found,
            places=output_names({one.source: one.place for one in found.inputs}, form.extension),
            form=form,
            folder=folder,
            options=ConvertOptions(cancel=cancel, images=asked.images is not None, **options),
            stdin=read_standard_input() if has_stdin else b"",
            stdin_name=asked.name,
            jobs=asked.jobs,
            with_page_marks=asked.page_marks,
            images=ImageFolder(asked.images, force=asked.force) if asked.images is not None else None,
        )
        return convert_batch(job, runtime, cancel)


def _form(form: str | None, *, as_json: bool, output: str | None) -> str:
    if as_json and form not in (None, "json"):
        raise click.UsageError("give --json or --to, not both")
    if as_json:
        return "json"
    if form is not None or output is None:
        return form or "md"
    by_ending = form_by_ending(output)
    if by_ending is None:
        refuse_other_format(output)
    return by_ending or "md"


def _meant_output(paths: tuple[str, ...]) -> str:
    """Suggest -o where the second of two paths is no file and ends as an output does, as in `convert a.pdf a.md`."""
    from octavo_sandbox.egress.targets import is_url

    if len(paths) != 2 or form_by_ending(paths[1]) is None or is_url(paths[1]) or os.path.exists(paths[1]):
        return ""
    return f"; did you mean -o {paths[1]}?"


def _check_options(
    paths: tuple[str, ...],
    output: str | None,
    output_dir: str | None,
    form: str,
    *,
    force: bool,
    name: str | None,
    page_marks: bool,
    images: str | None,
) -> None:
    """Refuse options that could have no effect."""
    if output is not None and output_dir is not None:
        raise click.UsageError("give -o or -d, not both")
    if output is not None and output.endswith(("/", os.sep)):
        raise click.UsageError(f"{output!r} is a folder: give -d {output}")
    if force and output_dir is None and images is None:
        raise click.UsageError("--force needs -d or --images")
    if name is not None and STDIN not in paths:
        raise click.UsageError("--name is for standard input")
    if images is not None and form != "md":
        raise click.UsageError("--images is for markdown")
    if page_marks and form != "md":
        raise click.UsageError("--page-marks is for markdown")
