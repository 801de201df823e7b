"""The output of `octavo ocr` for recognised pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo_contracts import OCRResult

    from ...facade.recognition.recognised import RecognitionResult


def recognition_keys(done: RecognitionResult, written: str | None, *, doubtful_below: float) -> dict[str, Any]:
    """A recognition as JSON values."""
    from ..document_text import version_keys

    return {
        "source": done.source,
        "document_id": done.document_id,
        "version": done.version.version if done.version else None,
        "held_back": version_keys(done.version)["held_back"] if done.version else None,
        "pages": done.results,
        "unread": [{"page": page, "why": why} for page, why in sorted(done.recognition.unread.items())],
        "stored": [page for page in done.recognition.with_text if done.recognition.readings[page].stored],
        "doubtful": [page for page, read in done.recognition.with_text.items() if read.confidence < doubtful_below],
        "pictures": [
            {
                "page": one.picture.page,
                "picture": one.picture.part,
                "result": one.result,
                "doubtful": one.result is not None and one.result.confidence < doubtful_below,
                "why": one.problem if one.reading is None else None,
            }
            for one in done.recognition.pictures
        ],
        "searchable": written,
    }


def write_pages(done: RecognitionResult, *, several: bool, doubtful_below: float) -> None:
    """Print the text of each page and picture, after a marker with its engine and confidence, and whether it was already stored.

    Args:
        done: of one document.
        several: whether there are other documents, so that the marker names this one.
        doubtful_below: confidence of a page that is to be checked.
    """
    from octavo_cli.toolkit.output import write_text

    name = f"{done.source}, " if several else ""
    for page, result in done.recognition.with_text.items():
        stored = done.recognition.readings[page].stored
        write_text(_marked(f"{name}page {page}", result, stored=stored, doubtful_below=doubtful_below))
    for one in done.recognition.pictures:
        if (said := one.result) is not None:
            where = f"{name}page {said.page_number}, picture {one.picture.name}"
            stored = one.reading is not None and one.reading.stored
            write_text(_marked(where, said, stored=stored, doubtful_below=doubtful_below))


def _marked(where: str, result: OCRResult, *, stored: bool, doubtful_below: float) -> str:
    from octavo_cli.toolkit.output import clean

    doubt = "; doubtful: check it against the page" if result.confidence < doubtful_below else ""
    origin = ", stored" if stored else ""
    said = f"{where}: {result.method} {result.tool_version}, confidence {result.confidence:.2f}{origin}{doubt}"
    # Neither a name nor a page may close the marker or forge one.
    mark = clean(said).replace("--", "- -")
    text = result.extracted_text.replace("<!--", "\\<!--")
    return f"<!-- {mark} -->\n\n{text}\n\n"


def explain(done: RecognitionResult, *, several: bool, pictures: bool, library: str) -> None:
    """Print remarks on a recognition to standard error."""
    from octavo.conversion.ocr import NOTHING
    from octavo.conversion.ocr.page_script import lacks_model
    from octavo.conversion.ocr.recognition import NO_ENGINE
    from octavo.conversion.routing import recogniser_here
    from octavo_cli.toolkit.output import clean, complain, note
    from octavo_cli.toolkit.remedies import remedy_text
    from octavo_text.page_spans import pages_text

    from ..document_text import activation_advice

    where = f"{clean(done.source)}: "
    if not several and done.recognition == NOTHING:
        note(f"octavo: {where}{_nothing_to_do(done, pictures=pictures)}")
    if blank := done.recognition.readings.keys() - done.recognition.with_text.keys():
        note(f"octavo: {where}no text was found on {pages_text(blank)}")
    unread = done.recognition.unread
    for why in dict.fromkeys(unread[page] for page in sorted(unread)):
        pages = [page for page, reason in unread.items() if reason == why]
        were = "were" if len(pages) > 1 else "was"
        complain(f"octavo: {where}{pages_text(pages)} {were} not read: {clean(why)} [ocr_needed]")
        if why == NO_ENGINE:
            complain(f"  {remedy_text(f'Run: pip install {recogniser_here()}, then the same command again')}")
    for remedy in dict.fromkeys(done.recognition.remedies.values()):
        complain(f"  {remedy_text(remedy)}")
    lacking = {page: said for page, one in done.recognition.with_text.items() if (said := lacks_model(one))}
    for said in dict.fromkeys(lacking.values()):
        pages = [page for page, why in lacking.items() if why == said]
        complain(f"octavo: {where}{pages_text(pages)}: {clean(said)} [ocr_low_confidence]")
        complain(f"  {remedy_text(done.recognition.with_text[pages[0]].remedy or '')}")
    for one in done.recognition.pictures:
        if one.reading is None:
            complain(
                f"octavo: {where}picture {clean(one.picture.name)} was not read: {clean(one.problem)} [ocr_needed]"
            )
    if done.version is not None and done.version.held_back is not None:
        said = activation_advice(done.document_id or "", done.version.version, done.version.held_back, library=library)
        note(f"octavo: {where}{said}")
    elif done.version is not None:
        note(f"octavo: {where}stored as version {done.version.version}{_worse(done, library=library)}")
    elif done.document_id is not None and (done.recognition.readings or done.recognition.pictures):
        note(f"octavo: {where}the active version has the same readings, so no new version was stored")


def _worse(done: RecognitionResult, *, library: str) -> str:
    """How much less sure the new version is than the one before, and how to go back; empty if it is not."""
    from octavo_cli.toolkit.next_command import next_command

    if done.lower_confidence is None or done.document_id is None:
        return ""
    before, now = done.lower_confidence
    back = next_command(["octavo", "activate", done.document_id[:8], str(done.version_before)], library=library)
    return f", with a mean confidence of {now:.2f} in place of {before:.2f}. To go back: {back}"


def _nothing_to_do(done: RecognitionResult, *, pictures: bool) -> str:
    from octavo.conversion.ocr.needs_ocr import IMAGES, PDF
    from octavo.conversion.ocr.pictures import TYPES

    if done.media_type == PDF or done.media_type in IMAGES:
        return "every page has a text layer; select pages with --pages to recognise them anyway"
    if done.media_type in TYPES:
        hint = "the document has text; --pictures recognises its pictures"
        return "the document has no pictures" if pictures else hint
    return f"{done.media_type} has no pages to recognise"


def summary_line(done: RecognitionResult, *, status: str) -> str:
    """Summarize a recognition in one line, such as `log.pdf: complete, 2 pages recognised by rapidocr, mean confidence 0.93`.

    Args:
        done: of one document.
        status: of the document in the library; empty for a file.
    """
    from octavo_cli.toolkit.output import clean

    read = done.recognition.with_text.values()
    parts = [status] if status else []
    if done.results or not done.recognition.pictures:
        said = f"{len(read)} page{'' if len(read) == 1 else 's'} recognised"
        if read:
            asked = (one.plugin for one in done.recognition.attempts if one.hook == "ocr" and one.outcome == "ok")
            # Results that were kept have no calls.
            engines = " and ".join(dict.fromkeys(asked) or dict.fromkeys(one.method for one in read))
            said += f" by {engines}, mean confidence {sum(one.confidence for one in read) / len(read):.2f}"
        parts.append(said)
    if pictures := done.recognition.pictures:
        parts.append(f"text in {sum(one.result is not None for one in pictures)} of {len(pictures)} pictures")
    return f"{clean(done.source)}: {', '.join(parts)}"
