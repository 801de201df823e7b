"""Mutants of the reference converter; each violates one rule."""

from __future__ import annotations

from .model import Patch, PluginMutant

_BEGIN = '    """See `octavo.hookspecs.convert`."""\n'
ANSWER = "    return Conversion(\n"
READ = "    body = open_sheaf(text, request.password)\n"
TEXT = 'text = " ".join([content] * repeat)'
_LOCKED = 'raise SourceEncrypted("the sheaf is locked")'
_CHECKSUM = 'raise SourceCorrupt("the checksum of the sheaf does not fit")'
_EMPTY_PAGE = 'return Conversion(pages=(Page(number=1, markdown="", text=""),), paginated=True)'


def first(*lines: str) -> Patch:
    """Patch that adds lines at the start of each call."""
    return (_BEGIN, _BEGIN + "".join(f"    {line}\n" for line in lines))


def once(line: str) -> Patch:
    """Patch that adds a line to the module's top level."""
    return ("MAX_REPEAT = 1000\n", f"MAX_REPEAT = 1000\n{line}\n")


def says(value: str) -> Patch:
    """Patch that puts a value in the engine's version, which no other check compares."""
    return (ANSWER, f"{ANSWER}        engine_version={value},\n")


def _undeclared(capability: str) -> Patch:
    return (f'"{capability}", ' if capability != "passwords" else ', "passwords"', "")


LOADING = (
    PluginMutant(target="OC-LOAD-001", manifest=(('name = "{name}"', 'name = "{name}-x"'),)),
    PluginMutant(target="OC-LOAD-001", manifest=(("hooks = ", "hocks = "),), variant="b"),
    PluginMutant(target="OC-LOAD-002", manifest=(('contract = "1.0"', 'contract = "2.0"'),)),
    PluginMutant(target="OC-LOAD-003", code=(("import hashlib\n", "import hashlib\nimport octavo_not_installed\n"),)),
    PluginMutant(target="OC-LOAD-004", code=(("def convert(source", "async def convert(source"),)),
    PluginMutant(target="OC-LOAD-005", code=(("import zlib\n", "import wave\nimport zlib\n"),)),
    PluginMutant(target="OC-LOAD-006", code=(once('__import__("time").sleep(1.2)'),)),
    PluginMutant(target="OC-LOAD-007", manifest=(('versions = ">=1"', 'versions = ">=99"'),)),
    PluginMutant(
        target="OC-LOAD-008",
        manifest=(
            (
                'media_types = ["application/x-octavo-sheaf"]',
                'media_types = ["application/x-octavo-sheaf", "Text/Sheaf; v=1"]',
            ),
        ),
    ),
    PluginMutant(
        target="OC-LOAD-009",
        manifest=(
            (
                "[plugin.engine]",
                '[[plugin.formats]]\nmedia_type = "application/x-octavo-sheaf"\nwithin = "zip"\nmembers = ["*.txt"]\n\n[plugin.engine]',
            ),
        ),
    ),
    PluginMutant(target="OC-LOAD-010", manifest=(("capabilities = [", 'capabilities = ["words", '),)),
)

ANSWERS = (
    PluginMutant(
        target="OC-SCHEMA-001",
        code=((ANSWER, "    return dict(\n"),),
        co_failures={"OC-ERR-007": "the unlocked document, a hostile vector, is answered with the same wrong object"},
    ),
    PluginMutant(
        target="OC-SCHEMA-002",
        code=(
            (
                READ,
                READ + '    if len(body["pages"]) == 3:\n        raise SourceCorrupt("three pages are too many")\n',
            ),
        ),
    ),
    PluginMutant(
        target="OC-SCHEMA-003",
        code=(('in body["pages"][0] else {},', 'in body["pages"][0] else {"n": float("nan")},'),),
    ),
    PluginMutant(target="OC-SCHEMA-004", code=(('it.", page=1)', 'it.", page=99)'),)),
    PluginMutant(target="OC-SCHEMA-005", code=(("size=len(data)", "size=len(data) + 1"),)),
    PluginMutant(target="OC-SCHEMA-006", manifest=(_undeclared("tables"),)),
    PluginMutant(
        target="OC-SPAN-001",
        code=((TEXT, 'text = "".join(c for c in " ".join([content] * repeat) if ord(c) < 0x10000)'),),
    ),
    PluginMutant(target="OC-SPAN-002", code=(("text=line)", 'text=line + " elsewhere")'),)),
    PluginMutant(target="OC-SPAN-003", code=(("right=width - 72", "right=width * 2"),)),
    PluginMutant(
        target="OC-PAGE-001",
        code=(("return list(range(1, count + 1))", "return [n for n in range(1, count + 1) if n != 2]"),),
    ),
    PluginMutant(
        target="OC-PAGE-002",
        code=(
            (
                'body["pages"][place - 1]',
                '{**body["pages"][place - 1], "blocks": body["pages"][{2: 3, 3: 2}.get(place, place) - 1]["blocks"]}',
            ),
        ),
    ),
    PluginMutant(target="OC-PAGE-003", manifest=(('["pages", ', "["),)),
    PluginMutant(target="OC-PAGE-004", code=(('kind="page"', 'kind="sheet"'),)),
    PluginMutant(
        target="OC-PAGE-009",
        code=(
            (
                'body["pages"][place - 1]',
                '{**body["pages"][place - 1], "label": body["pages"][number - 1].get("label")}',
            ),
        ),
    ),
    PluginMutant(
        target="OC-PAGE-005",
        code=(("return list(request.pages)", "return [1 for _ in request.pages]"),),
        co_failures={"OC-GOLD-010": "the late page of a large document is asked for alone, and is the first one"},
    ),
    PluginMutant(target="OC-PAGE-006", manifest=(_undeclared("page_ranges"),)),
    PluginMutant(
        target="OC-PAGE-007",
        code=(
            (
                'width, height = float(page.get("width", 595)), float(page.get("height", 842))',
                'height, width = float(page.get("width", 595)), float(page.get("height", 842))',
            ),
        ),
    ),
    PluginMutant(
        target="OC-PAGE-008",
        code=(
            first("if request.pages is not None:", '    raise UsageError("it has no capability `page_ranges`")'),
            (
                ANSWER,
                '    pages = (\n        Page(\n            number=1, kind="whole", markdown="\\n\\n".join(p.markdown for p in pages),\n            text="\\n\\n".join(p.text for p in pages), tables=sum((p.tables for p in pages), ()),\n            hidden_text=sum((p.hidden_text for p in pages), ()),\n        ),\n    )\n'
                + ANSWER,
            ),
            ("paginated=True,", "paginated=False,"),
        ),
        manifest=(('["pages", ', "["), _undeclared("page_ranges")),
    ),
)

REFUSALS = (
    PluginMutant(target="OC-ERR-001", code=(('raise SourceEmpty("', 'raise SourceCorrupt("'),)),
    PluginMutant(
        target="OC-ERR-002",
        code=(
            (
                READ,
                f'    data = source.read_bytes()\n    if data.startswith(b"{{") and not data.rstrip().endswith(b"}}"):\n        {_EMPTY_PAGE}\n'
                + READ,
            ),
        ),
    ),
    PluginMutant(
        target="OC-ERR-003",
        code=((READ, f'    if source.read_bytes().startswith(b"\\x89PNG"):\n        {_EMPTY_PAGE}\n' + READ),),
    ),
    PluginMutant(target="OC-ERR-004", code=(("if request.media_type != SHEAF:", "if not request.media_type:"),)),
    PluginMutant(
        target="OC-ERR-005",
        code=((_LOCKED, 'raise (SourceCorrupt if password is None else SourceEncrypted)("the sheaf is locked")'),),
    ),
    PluginMutant(
        target="OC-ERR-006",
        code=((_LOCKED, 'raise (SourceEncrypted if password is None else SourceCorrupt)("the sheaf is locked")'),),
    ),
    PluginMutant(target="OC-ERR-007", code=(("or hashlib.sha256(password.encode()).hexdigest() != lock", "or lock"),)),
    PluginMutant(target="OC-ERR-008", manifest=(_undeclared("passwords"),)),
    PluginMutant(
        target="OC-ERR-009",
        code=(
            (
                "raise ContentTooLarge(f\"every paragraph stands there {body['repeat']} times, more than {MAX_REPEAT}\")",
                'body["repeat"] = 1',
            ),
        ),
    ),
    PluginMutant(target="OC-ERR-010", code=(("if len(wanted) > request.max_pages:", "if not wanted:"),)),
    PluginMutant(target="OC-ERR-011", code=((_CHECKSUM, 'raise SourceCorrupt("bad", remedy="")'),)),
    PluginMutant(
        target="OC-ERR-011",
        code=((_LOCKED, 'raise SourceEncrypted(f"the sheaf is locked, and {password} does not open it")'),),
        variant="b",
    ),
    PluginMutant(
        target="OC-ERR-012", code=((_CHECKSUM, 'raise ValueError("the checksum of the sheaf does not fit")'),)
    ),
)

BEHAVIOUR = (
    PluginMutant(target="OC-MUT-001", code=(first('if hasattr(source, "_original"):', '    __import__("os").utime(source._original, (0, 0))'),)),
    PluginMutant(target="OC-MUT-002", code=(first('request.options["seen"] = True'),)),
    PluginMutant(target="OC-MUT-003", code=(first('__import__("os").environ["SEEN"] = str(__import__("time").time_ns())'),)),
    PluginMutant(target="OC-FS-001", code=(first("try:", '    open("/tmp/octavo-mutant", "w").close()', "except OSError:", "    pass"),)),
    PluginMutant(target="OC-FS-002", code=(once("KEPT = []"), first("KEPT.append(source.open())"))),
    PluginMutant(target="OC-FS-003", code=(first("try:", '    __import__("subprocess").run(["true"])', "except OSError:", "    pass"),)),
    PluginMutant(target="OC-NET-001", code=(first("try:", '    __import__("socket").socket().close()', "except OSError:", "    pass"),)),
    PluginMutant(target="OC-DET-001", code=(once('SALT = __import__("os").urandom(4).hex()'), says("SALT"))),
    PluginMutant(
        target="OC-DET-004",
        code=(says('str("octavo_conformance.probe" in __import__("sys").modules or hasattr(source, "_original"))'),),
    ),
    PluginMutant(target="OC-DET-002", code=(says('str(hash("sheaf"))'),)),
    PluginMutant(target="OC-IDEM-001", code=(once("CALLS = []"), first("CALLS.append(source.size)"), says("str(CALLS.count(source.size))"))),
    PluginMutant(
        target="OC-IDEM-002",
        code=(once("FAILED = []"), ('raise SourceEmpty("', 'FAILED.append(1)\n        raise SourceEmpty("'), says("str(len(FAILED))")),
    ),
    PluginMutant(
        target="OC-CONC-001",
        code=(
            first(
                "import fcntl",
                "import time",
                'if hasattr(source, "_original"):',
                "    held = open(__file__)",
                "    try:",
                "        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)",
                "    except OSError:",
                '        raise SourceCorrupt("another process reads a sheaf") from None',
                "    time.sleep(1.5)",
            ),
        ),
    ),
    PluginMutant(target="OC-TIME-001", code=((READ, READ + '    if len(body["pages"]) == 3:\n        __import__("time").sleep(1.1)\n'),)),
    PluginMutant(target="OC-TIME-002", manifest=(("[plugin.engine]", "[plugin.limits]\ntimeout_seconds = 4000\n\n[plugin.engine]"),)),
    PluginMutant(target="OC-TIME-004", code=((READ, READ + '    if not context.remaining():\n        body["pages"] = body["pages"][:-1] or body["pages"]\n'),)),
    PluginMutant(target="OC-TIME-004", code=(first("if not context.remaining():", '    raise SourceCorrupt("there is no time to read it")'),), variant="b"),
    PluginMutant(
        target="OC-MEM-001",
        code=(first('b"x" * (150 << 20)'),),
        manifest=(("[plugin.engine]", "[plugin.limits]\nmemory_mb = 64\n\n[plugin.engine]"),),
    ),
    PluginMutant(target="OC-MEM-002", code=(once("KEPT = []"), first('KEPT.append(b"x" * (4 << 20))'))),
)  # fmt: skip

TRUTH = (
    PluginMutant(
        target="OC-GOLD-001",
        code=(('hidden.append(HiddenText(text=content, why="hidden_style"))', "lines.append(content)"),),
    ),
    PluginMutant(
        target="OC-GOLD-002",
        code=(('if kind == "s":\n            continue', 'if kind == "s":\n            lines.append(content)'),),
    ),
    PluginMutant(target="OC-GOLD-003", code=((TEXT, TEXT + '.replace("Storms are", "are Storms")'),)),
    PluginMutant(target="OC-GOLD-004", code=(('f"# {text}"', "text"),)),
    PluginMutant(target="OC-GOLD-005", code=(("Table(rows=rows)", "Table(rows=rows[1:])"),)),
    PluginMutant(target="OC-GOLD-006", code=(('title=body["title"] or None', "title=source.name"),)),
    PluginMutant(target="OC-GOLD-008", code=((TEXT, TEXT + '.replace("lanterns", "candles")'),)),
    PluginMutant(
        target="OC-GOLD-008",
        code=(
            (
                TEXT,
                TEXT + '.replace(" were lit at dusk. ", " ").replace("Nobody", "Once Ada and then Ben, but nobody")',
            ),
        ),
        variant="b",
    ),
    PluginMutant(
        target="OC-GOLD-009",
        co_failures={"OC-DET-006": "where the suite is not installed, it cannot be imported"},
        code=(
            ("import zlib\n", "import zlib\n\nfrom octavo_conformance.vectors import load_golden\n"),
            once("KNOWN = {vector.sha256 for vector in load_golden()}"),
            (
                READ,
                READ
                + '    if len(body["pages"]) > 2 and hashlib.sha256(source.read_bytes()).hexdigest() not in KNOWN:\n'
                '        body["pages"].reverse()\n',
            ),
        ),
    ),
    PluginMutant(
        target="OC-GOLD-007", code=(('attachments=tuple(map(make_attachment, body["attachments"]))', "attachments=()"),)
    ),
)

CONVERTERS = (*LOADING, *ANSWERS, *REFUSALS, *BEHAVIOUR, *TRUTH)
