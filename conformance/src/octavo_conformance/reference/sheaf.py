"""The reference converter: reads sheaves, declares almost every capability, and follows the whole contract."""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any

from octavo_contracts import (
    Attachment,
    BoundingBox,
    Box,
    ContentTooLarge,
    Conversion,
    ConversionWarning,
    ConvertRequest,
    DocumentMetadata,
    HiddenText,
    HookContext,
    Page,
    SourceCorrupt,
    SourceEmpty,
    SourceEncrypted,
    SourceView,
    Table,
    UnsupportedFormat,
    UsageError,
    hookimpl,
)

SHEAF = "application/x-octavo-sheaf"
MAX_REPEAT = 1000


@hookimpl
def convert(source: SourceView, request: ConvertRequest, context: HookContext) -> Conversion:
    """See `octavo.hookspecs.convert`."""
    if request.media_type != SHEAF:
        raise UnsupportedFormat(f"{request.media_type} is not {SHEAF}")
    if source.size == 0:
        raise SourceEmpty("the sheaf has no bytes")
    text = decoded(source.read_bytes(), str(context.options.get("encoding", "utf-8")))
    body = open_sheaf(text, request.password)
    if body["repeat"] > MAX_REPEAT:
        raise ContentTooLarge(f"every paragraph stands there {body['repeat']} times, more than {MAX_REPEAT}")
    options: dict[str, Any] = dict(context.options)
    short = cut_tables(body, options.get("mask") or [], int(options.get("most_rows", 100_000)))
    wanted = pages_wanted(request, len(body["pages"]))
    if len(wanted) > request.max_pages:
        raise ContentTooLarge(f"{len(wanted)} pages are more than {request.max_pages}")
    pages = tuple(
        make_page(number, body["pages"][place - 1], body["repeat"]) for number, place in enumerate(wanted, start=1)
    )
    if not context.options.get("tables", True):
        pages = tuple(page.model_copy(update={"tables": ()}) for page in pages)
    return Conversion(
        pages=pages,
        paginated=True,
        source_pages=None if request.pages is None else tuple(wanted),
        metadata=DocumentMetadata(
            title=body["title"] or None,
            author=body["author"] or None,
            date=body.get("date"),
            language=body.get("language"),
            fields={"sheets": [page["sheet"] for page in body["pages"]]} if "sheet" in body["pages"][0] else {},
        ),
        attachments=tuple(map(make_attachment, body["attachments"])),
        warnings=(
            ConversionWarning(code="reference", message="The reference plugin read it.", page=1),
            *(
                ConversionWarning(code="partial_conversion", message="Some letters have no meaning.", page=page.number)
                for page in pages
                if "\ufffd" in (page.text or "")
            ),
            *(
                ConversionWarning(code="partial_conversion", message="A block has an unknown form.", page=number)
                for number, place in enumerate(wanted, start=1)
                if any(block[0] == "z" for block in body["pages"][place - 1]["blocks"])
            ),
            *(
                ConversionWarning(code="partial_conversion", message="A table has more rows.", page=number)
                for number, place in enumerate(wanted, start=1)
                if place in short
            ),
        ),
    )


def cut_tables(body: dict[str, Any], masked: list[str], most_rows: int) -> set[int]:
    """Leave out the cells of masked columns, and the rows beyond a limit; return the pages that lose rows."""
    short = set()
    for number, page in enumerate(body["pages"], start=1):
        for block in page["blocks"]:
            if block[0] != "t" or not block[1]:
                continue
            head = block[1][0]
            if len(block[1]) > most_rows:
                short.add(number)
            block[1] = [
                ["" if at and x < len(head) and head[x] in masked else cell for x, cell in enumerate(row)]
                for at, row in enumerate(block[1][:most_rows])
            ]
    return short


def decoded(data: bytes, encoding: str) -> str:
    """Return the text of a file in an encoding; bytes that it does not have become U+FFFD, which no checksum fits."""
    try:
        return data.decode(encoding, errors="replace")
    except LookupError as error:
        raise UsageError(f"there is no encoding {encoding!r}") from error


def open_sheaf(text: str, password: str | None) -> dict[str, Any]:
    """Return the body, verified and unlocked."""
    try:
        outer = json.loads(text)
        body: dict[str, Any] = json.loads(outer["body"])
        whole = outer["format"] == "sheaf/1" and outer["crc"] == zlib.crc32(outer["body"].encode())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceCorrupt(f"the file is not a sheaf: {type(error).__name__}") from error
    if not whole:
        raise SourceCorrupt("the checksum of the sheaf does not fit")
    lock = outer.get("lock")
    if lock is not None and (password is None or hashlib.sha256(password.encode()).hexdigest() != lock):
        raise SourceEncrypted("the sheaf is locked")
    return body


def pages_wanted(request: ConvertRequest, count: int) -> list[int]:
    """Return the numbers of the pages to read."""
    if request.pages is None:
        return list(range(1, count + 1))
    if not all(1 <= page <= count for page in request.pages):
        raise UsageError(f"the sheaf has {count} pages")
    return list(request.pages)


def make_page(number: int, page: dict[str, Any], repeat: int) -> Page:
    """Build one page with all its content."""
    lines: list[str] = []
    markdown: list[str] = []
    tables: list[Table] = []
    starts: list[int] = []
    hidden: list[HiddenText] = []
    notes: list[str] = []
    changes: list[str] = []
    for kind, content, *more in page["blocks"]:
        if kind == "s":
            continue
        if kind == "z":
            continue
        if kind == "x":
            hidden.append(HiddenText(text=content, why="hidden_style"))
        elif kind == "u":
            lines.append("\ufffd" * len(content))
            markdown.append(lines[-1])
        elif kind == "t":
            rows = tuple(tuple(row) for row in content)
            tables.append(Table(rows=rows))
            starts.append(len(lines))
            lines += [" ".join(row) for row in rows]
            markdown += ["\n".join("| " + " | ".join(row) + " |" for row in rows)]
        elif kind == "a":
            lines.append(content)
            markdown.append(f"[{content}]({more[0]})")
        elif kind == "f":
            lines.append(content)
            markdown.append(content)
            notes.append(more[0])
        elif kind == "i":
            lines.append(content)
            markdown.append(content)
            changes.append(f"Inserted: {content}")
        elif kind == "c":
            lines.append(content)
            markdown.append(content)
            changes.append(f"Comment: {more[0]}")
        elif kind == "d":
            changes.append(f"Deleted: {content}")
        elif kind == "k":
            lines.append(f"{more[0]}: {content}")
            markdown.append(lines[-1])
        elif kind == "n":
            lines.append(f"{more[0]}. {content}")
            markdown.append(lines[-1])
        else:
            text = " ".join([content] * repeat)
            lines.append(text)
            deeper = "#" * (more[0] - 1) if more else ""
            markdown.append(deeper + (f"# {text}" if kind == "h" else text))
    lines += notes + changes
    markdown += notes + changes
    width, height = float(page.get("width", 595)), float(page.get("height", 842))
    return Page(
        number=number,
        label=page.get("label"),
        kind="page",
        markdown="\n\n".join(markdown),
        text="\n\n".join(lines),
        tables=tuple(placed(table, 72 + 12 * start, width) for table, start in zip(tables, starts, strict=True)),
        boxes=tuple(
            Box(kind="line", box=BoundingBox(left=72, top=72 + 12 * i, right=width - 72, bottom=84 + 12 * i), text=line)
            for i, line in enumerate(lines)
        ),
        hidden_text=tuple(hidden),
        width=width,
        height=height,
    )


def placed(table: Table, top: float, width: float) -> Table:
    """Add the place of a table whose rows are lines of the page."""
    box = BoundingBox(left=72, top=top, right=width - 72, bottom=top + 12 * len(table.rows))
    return table.model_copy(update={"box": box})


def make_attachment(item: dict[str, str]) -> Attachment:
    """Build the attachment for a document inside the sheaf."""
    data = item["text"].encode()
    return Attachment(
        name=item["name"],
        media_type=item["media_type"],
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        data=data,
    )
