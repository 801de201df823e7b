"""`octavo digest`: compress a document for a query, with quotations that can be verified.

JSON:
    `--json` prints one object:

    - `status`: digested, skipped or failed; `reason`: why it was skipped or failed, or null.
    - `payload`: a `DigestPayload` (`octavo schema digest_payload`), or null.
    - `cache_hit`, `duration_ms`, `warnings`.
    - `details`: `scorer`, `summariser`, `method`, and with a library `document_id` and `conversion_version`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click
from octavo_cli.toolkit.options import json_option, library_option
from octavo_cli.toolkit.running import octavo_command

if TYPE_CHECKING:
    from octavo_contracts import DigestOutcome, DigestPayload, ExitCode


_SHOWN = 3
"""Most warnings that are told, unless all are asked for: a book may have one a page."""
_REASONS = {
    "no_gain": "it would not be shorter than the document",
    "not_eligible": "the policy auto wants 10,000 characters of high or medium quality; --policy always digests any document",
    "policy_off": "the policy is off",
    "already_digested": "the document is a digest",
    "no_content": "the document has no text",
    "breaker_open": "too many of the last digests failed; try again in a minute",
}
"""Reason of a digest that was skipped → what it means."""


@octavo_command(name="digest")
@click.argument("document", metavar="DOC|PATH")
@click.option(
    "--query", metavar="TEXT", required=True, help="Question that the digest answers; '' for a general digest."
)
@click.option(
    "--policy",
    type=click.Choice(["off", "auto", "always"]),
    default="always",
    show_default=True,
    help="Which documents to digest; auto: from 10,000 characters, of high or medium quality.",
)
@click.option("--scorer", metavar="NAME", help="Scorer that ranks passages: keyword/v1, bm25/v1 or a plugin's.")
@click.option("--digestor", metavar="PLUGIN", help="Plugin whose digestor to use; core: the built-in one.")
@click.option(
    "--archive-dir",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Archive the canonical text there, so that `octavo verify --archive DIR` can check the quotations.",
)
@click.option(
    "--cache-dir",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Cache digests there: the same text, query and settings give the same digest without being digested again.",
)
@library_option
@json_option
def command(
    document: str,
    query: str,
    policy: str,
    scorer: str | None,
    digestor: str | None,
    archive_dir: str | None,
    cache_dir: str | None,
    library: str,
    as_json: bool,
) -> ExitCode:
    """Compress a document for a query, with quotations that can be verified.

    An existing path is converted and not stored; any other DOC is as for `octavo show`. Prints the digest as JSON with
    --json, else as text.
    """
    from octavo_cli.toolkit.output import clean, note
    from octavo_cli.toolkit.verbosity import is_verbose, more_remarks
    from octavo_contracts import ExitCode
    from octavo_library.commands.opening import open_library

    from ..document_digest import digest_document
    from ..path import digest_path

    # The query as UTF-8 text: an argument that was not UTF-8 contains surrogates, which JSON cannot represent.
    asked = query.encode("utf-8", "replace").decode()
    own: dict[str, Any] = {"cache_dir": os.path.abspath(cache_dir)} if cache_dir is not None else {}
    if os.path.isfile(document):
        outcome = digest_path(
            document, query=asked, policy=policy, scorer=scorer, digestor=digestor, archive_dir=archive_dir, **own
        )
    else:
        with open_library(library, create=False) as opened:
            outcome = digest_document(
                opened,
                document,
                query=asked,
                policy=policy,
                scorer=scorer,
                digestor=digestor,
                archive_dir=archive_dir,
                **own,
            )
    shown = outcome.warnings if is_verbose() else outcome.warnings[:_SHOWN]
    for warning in shown:
        note(f"octavo: {clean(document)}: {clean(warning)}")
    if len(shown) < len(outcome.warnings):
        note(f"octavo: {clean(document)}: {more_remarks(len(outcome.warnings) - len(shown))}")
    if as_json:
        _write_keys(outcome)
    elif outcome.payload is not None:
        _write_payload(outcome.payload)
    if outcome.payload is None:
        reason = outcome.reason or outcome.status
        note(f"octavo: {clean(document)}: no digest: {_REASONS.get(reason, clean(reason))} [{clean(reason)}]")
    return ExitCode.HARD_FAILURES if outcome.status == "failed" else ExitCode.OK


def _write_keys(outcome: DigestOutcome) -> None:
    from octavo_cli.toolkit.output import write_json

    write_json(
        {
            "status": outcome.status,
            "reason": outcome.reason,
            "payload": outcome.payload,
            "cache_hit": outcome.cache_hit,
            "duration_ms": round(outcome.duration_ms, 3),
            "warnings": list(outcome.warnings),
            "details": dict(outcome.details),
        }
    )


def _write_payload(payload: DigestPayload) -> None:
    from octavo_cli.toolkit.output import clean, write_line

    write_line(clean(payload.summary))
    if payload.key_points:
        write_line()
    for point in payload.key_points:
        write_line(f"- {clean(point)}")
    for snippet in payload.evidence_snippets:
        write_line(f"\n[{snippet.locator}] {snippet.relevance_score:.3f}\n  {clean(snippet.text)}")
    write_line(f"\n{payload.digest_chars} of {payload.original_chars} characters ({payload.compression_ratio:.1%})")
