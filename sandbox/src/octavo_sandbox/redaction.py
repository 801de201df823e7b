"""Redacts the messages of tools: keeps fixed text and positions, removes the document's words.

An engine's message often quotes the document: an XML entity, the name of an archive member, a cell. Messages are
stored and logged, so the host keeps only the parts that cannot come from a document: string constants in the code of
the plugin, of the contract and of the host; a closed list of messages of common parsers and of the system; names of
the exceptions; numbers that state a position or a quantity. Everything else becomes an ellipsis.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import logging
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.machinery import PathFinder, SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from octavo_contracts import OctavoError

_unredacted = logging.getLogger("octavo.unredacted")
_unredacted.propagate = False

LEFT_OUT = "…"
"""Replaces the removed words."""

MAX_CHARACTERS = 2000
"""Maximum characters of a message; the rest is removed."""

_HOST = ("octavo_contracts", "octavo_sandbox", "octavo.plugins", "octavo.formats", "octavo.builtins",
         "octavo.conversion.ocr", "octavo_text", "zipfile",
         "json.decoder")  # fmt: skip

_HOOKS = ("classify", "convert", "ocr", "extract_entities", "score_quality")
_HOST_PACKAGE = "octavo"

_PARSERS = (
    "not well-formed (invalid token)", "mismatched tag", "undefined entity", "no element found", "unclosed token",
    "duplicate attribute", "junk after document element", "syntax error", "unbound prefix", "Document is empty",
    "Start tag expected, '<' not found", "Extra content at the end of the document", "Premature end of data in tag",
    "Opening and ending tag mismatch", "Specification mandates value for attribute", "Couldn't find end of Start Tag",
    "Detected an entity reference loop", "Maximum entity amplification factor exceeded", "Entity", "not defined",
    "Error -3 while decompressing data", "Error -5 while decompressing data", "incorrect header check",
    "invalid distance too far back", "invalid block type", "invalid stored block lengths", "incorrect data check",
    "incomplete or truncated stream", "codec can't decode byte", "codec can't decode bytes", "codec can't encode character",
    "in position", "invalid start byte", "invalid continuation byte", "unexpected end of data", "illegal multibyte sequence",
    "ordinal not in range(128)", "unknown encoding", "list index out of range", "string index out of range",
    "index out of range", "maximum recursion depth exceeded", "division by zero", "could not convert string to float",
    "invalid literal for int() with base 10", "object has no attribute", "object is not subscriptable",
    "Invalid XML:", "couldn't parse", "unexpected end of input", "unexpected end of file", "UnresolvedEntityException",
    "line contains NUL", "field larger than field limit", "unpack requires a buffer of", "timed out after",
    "returned non-zero exit status", "Failed to load page", "Failed to load document (PDFium: Data format error)",
    "Failed to load document (PDFium: Incorrect password error)", "Failed to load document (PDFium: File access error)",
    "Failed to load document (PDFium: Unsupported security scheme error)",
)  # fmt: skip

_PLACE = re.compile(
    r"\b(?:lines?|column|col|row|pages?|sheet|slide|part|entry|record|chunk|frame|char|character|offset|position|pos|at byte|"
    r"status|code|errno|exit code|level|version|signal)[ :=]{0,2}\d{1,9}(?:\.\d{1,6})?(?![\w.]*\w)"
    r"|\[Errno \d{1,4}\]|\(and \d{1,6} (?:more|others)\)"
    r"|(?:Tuple|List|String|Dictionary|Data|Value) should have at (?:least|most) \d{1,9} (?:items?|characters?)"
    r"|(?<![\w.])\d[\d,]{0,13}(?:\.\d{1,3})? ?(?:bytes?|KiB|MiB|GiB|MB|KB|s|ms|seconds|characters|words|pages|entries|members|"
    r"pixels|rows|columns|cells|sheets|tables|fields|lines|levels|more|others|of \d{1,9})\b"
)
_MODELS = (
    "Field required", "Extra inputs are not permitted", "Instance is frozen", "Value error,", "Assertion failed,",
    "Input should be a valid string", "Input should be a valid integer", "Input should be a valid number",
    "Input should be a valid boolean", "Input should be a valid tuple", "Input should be a valid list",
    "Input should be a valid dictionary", "Input should be a valid dictionary or instance of", "Input should be a finite number",
    "Input should be greater than or equal to 0", "Input should be greater than or equal to 1",
    "Input should be greater than 0", "Input should be less than or equal to 1", "String should match pattern",
    "Input should be None", "Input should be an instance of", "should have at least 1 character",
    "String should have at least 1 character",
)  # fmt: skip

_COUNT = re.compile(r"(?<![\w.,])(?:1(?= [a-z])|\d{1,6}(?= (?!does\b)[a-z]{2,}s\b))")
"""A quantity of what the fixed text after it names."""
_BOUND = re.compile(r"(?:more than|less than|at most|at least|beyond|limit of|limit \(|the first) (\d[\d,]{0,12})\b")
"""A limit named by the fixed text before it."""
_FIELD_PATH = re.compile(r"(?<![\w.])([A-Za-z]\w*(?:\.\w{1,64})*):")
_EDGES = " :;,.()"
_SIGNS = re.compile(r"[^\w]{1,4}")
_WORDS = re.compile(r"[^\W\d_][\w'’]*[^\w]+[^\W\d_]")
_EMPTY = re.compile(rf" ?\({LEFT_OUT}\.?\)")
"""Brackets whose content was removed."""
_GAPS = re.compile(rf"{LEFT_OUT}(?:[^\w\[(]*{LEFT_OUT})+")
_FIELD = re.compile(r"%[-#0 +]*[\d.*]*[a-zA-Z%]|\{[^{}]*\}|\n")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_MODULE = re.compile(r"No module named '[A-Za-z_][\w.]{0,80}'")
_MAX_PHRASE = 300
_MAX_NAMES = 16
_KEY = 3


class Phrases:
    """The fixed texts that a message may consist of, indexed by their first characters.

    Args:
        texts: string constants. A constant of one word counts only if it is or starts the whole message.
        exact: texts that count at any position.
    """

    def __init__(self, texts: Iterable[str], *, exact: Collection[str] = ()) -> None:
        self._by_start: dict[str, list[str]] = {}
        self._openings: set[str] = set()
        self._whole = whole = {piece for text in texts for piece in _FIELD.split(text) if len(piece) <= _MAX_PHRASE}
        whole.update(exact)
        for piece in sorted(whole, key=len, reverse=True):
            if _WORDS.search(piece) or piece in exact:
                self._by_start.setdefault(piece[:_KEY], []).append(piece)
            elif piece.endswith(" ") and piece.strip().isalpha():
                self._openings.add(piece)

    def has(self, text: str) -> bool:
        """True if the whole text is one of these."""
        return text in self._whole

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the ranges of the text that are fixed, in order; the longest match wins."""
        at = len(text) if text in self._whole else 0
        if at:
            yield 0, at
        # They may overlap: "convert returned" and " returned a " are both fixed.
        for place in range(at, len(text)):
            if found := self._longest(text, place):
                yield place, place + len(found)

    def _longest(self, text: str, at: int) -> str:
        found = next((one for one in self._by_start.get(text[at : at + _KEY], ()) if _stands(one, text, at)), "")
        if not found and at == 0:
            found = next((one for one in self._openings if text.startswith(one)), "")
        return found


def _stands(phrase: str, text: str, at: int) -> bool:
    """True if the text has the phrase at this position, and not as part of longer words."""
    end = at + len(phrase)
    if not text.startswith(phrase, at):
        return False
    begins_within = at > 0 and text[at - 1].isalnum() and phrase[0].isalnum()
    ends_within = end < len(text) and text[end].isalnum() and phrase[-1].isalnum()
    return not begins_within and not ends_within


def redacted(
    text: str, *, package: str = "", caller: str = "", known: Iterable[str] = (), paths: Sequence[Path] = ()
) -> str:
    """Return a message without the document's words.

    Args:
        text: the tool's message.
        package: the top-level package of the plugin that raised it; empty for the host's own code.
        caller: the top-level package of the host code that called the plugin, if it is not the core's.
        known: strings that the host itself passed to the call, such as the folder of a model; they are kept.
        paths: folders from which workers import the package, besides those of this process.
    """
    spoke = [_phrases(one, paths) for one in dict.fromkeys((package, caller)) if one not in ("", _HOST_PACKAGE)]
    text = text[:MAX_CHARACTERS]
    keep = bytearray(len(text))
    own = sorted({one for one in known if len(one) > 1}, key=len, reverse=True)
    spans = [match.span() for one in own for match in re.finditer(rf"(?<!\w){re.escape(one)}(?!\w)", text)]
    spans += [match.span() for match in _PLACE.finditer(text)]
    spans += [match.span() for match in _FIELD_PATH.finditer(text) if is_field_path(match[1])]
    for phrases in (*spoke, _of_host()):
        spans += phrases.spans(text)
    for start, end in spans:
        keep[start:end] = b"\1" * (end - start)
    for match in _COUNT.finditer(text):
        if keep[match.end() + 1]:
            keep[match.start() : match.end()] = b"\1" * len(match[0])
    for match in _BOUND.finditer(text):
        if keep[match.start()] and keep[match.start(1) - 1]:
            keep[match.start(1) : match.end(1)] = b"\1" * len(match[1])
    return _join(text, keep, words=spoke[0] if spoke else _of_host())


def _join(text: str, keep: bytearray, *, words: Phrases) -> str:
    """Join the kept characters with one mark for each gap; a gap of punctuation alone is kept.

    Args:
        text: the message.
        keep: for each character, whether it is kept.
        words: texts that may also fill a gap, alone and without quotation marks, such as the name of a format.
    """
    parts: list[str] = []
    at = 0
    while at < len(text):
        end = at
        while end < len(text) and keep[end] == keep[at]:
            end += 1
        piece = text[at:end]
        stays = keep[at] or _SIGNS.fullmatch(piece) or all(words.has(one.strip(_EDGES)) for one in piece.split(","))
        parts.append(piece if stays else _gap(piece))
        at = end
    joined = _GAPS.sub(LEFT_OUT, "".join(parts))
    while joined.count(")") > joined.count("(") and f"{LEFT_OUT})" in joined:
        joined = joined.replace(f"{LEFT_OUT})", LEFT_OUT, 1)  # the opening bracket was removed
    return _EMPTY.sub("", joined)


def _gap(piece: str) -> str:
    core = piece.strip(_EDGES)
    lead, _, tail = piece.partition(core)
    return f"{lead}{LEFT_OUT}{tail}" if core else piece


def redact(
    error: OctavoError, *, package: str = "", caller: str = "", known: Iterable[str] = (), paths: Sequence[Path] = ()
) -> None:
    """Remove the document's words from an error in place: from its message, its remedy and its notes.

    The full message goes to the logger `octavo.unredacted` if a developer has given that logger itself the level DEBUG
    and a handler. A level inherited from `octavo` or the root is not enough: `logging.config.dictConfig` of a host that
    wants to see `octavo` makes its children inherit and propagate.

    Args:
        error: the error that a tool raised.
        package: as in `redacted`.
        caller: as in `redacted`.
        known: as in `redacted`.
        paths: as in `redacted`.
    """

    def without_words(text: str, *more: str) -> str:
        return redacted(text, package=package, caller=caller, known=(*stays, *more), paths=paths)

    if _unredacted.level == logging.DEBUG and _unredacted.handlers:
        _unredacted.debug("%s: %s", type(error).__name__, error)
    stays = (*known, *_MODULE.findall(error.message))
    error.message = without_words(error.message)
    error.remedy = without_words(error.remedy, error.default_remedy)
    error.source = error.source and without_words(error.source)
    error.plugin = error.plugin and without_words(error.plugin)
    error.args = (error.message,)
    vars(error).pop("__notes__", None)


def names_behind(error: BaseException | None) -> set[str]:
    """Class names, of an exception of this process and of its causes, that a message may contain."""
    names: list[object] = []
    while error is not None and len(names) < _MAX_NAMES:
        names.append(type(error).__name__)
        error = error.__cause__ or error.__context__
    return known_names(names)


def known_names(names: object) -> set[str]:
    """Class names of the underlying exceptions that a message may contain; drops values that are not identifiers.

    Args:
        names: the names as the worker sent them.
    """
    listed = names if isinstance(names, list) else []
    found = {name for name in listed[:_MAX_NAMES] if isinstance(name, str) and _IDENTIFIER.fullmatch(name)}
    return found | {f"raised {name}" for name in found} | {f"failed with {name}" for name in found}


def _phrases(package: str, paths: Sequence[Path]) -> Phrases:
    """Return the fixed texts of a plugin's package."""
    return _of_files(tuple(_sources(package, paths)))


@lru_cache(maxsize=64)
def _of_files(files: tuple[_Source, ...]) -> Phrases:
    return Phrases(text for file in files for text in _constants(file))


@cache
def _of_host() -> Phrases:
    """Return the fixed texts of the contract, the host, common parsers and the system."""
    texts = [*_PARSERS, *_MODELS, *(os.strerror(number) for number in errno.errorcode)]
    texts += [text for name in _HOST for file in _sources(name) for text in _constants(file)]
    for hook in _HOOKS:
        texts += [f"{hook} raised", f"{hook} returned", f"{hook} made"]
    for kind in (*_contract_names(), *vars(builtins)):
        texts += [f"returned {kind}", f"returned a {kind}", f"expected {kind}", f"tuple of {kind}", f"gave a {kind}"]
    return Phrases(texts, exact=[f"'{hook}'" for hook in _HOOKS])


class _Source(NamedTuple):
    """A source file and its modification time: a plugin may be upgraded while the host runs."""

    path: str
    changed: int
    size: int


def _sources(package: str, paths: Sequence[Path] = ()) -> Iterator[_Source]:
    """Yield the source files of a package without importing it; nothing if it has no files."""
    try:
        spec = find_spec(package) or PathFinder.find_spec(package, list(map(str, paths)))
    except (ImportError, ValueError):
        return
    if spec is None or spec.origin is None:
        return
    origin = Path(spec.origin)
    for file in sorted(origin.parent.rglob("*.py")) if spec.submodule_search_locations else [origin]:
        with contextlib.suppress(OSError):
            seen = file.stat()
            yield _Source(str(file), seen.st_mtime_ns, seen.st_size)


def _constants(file: _Source) -> Iterator[str]:
    """Yield every string constant in a file, and the file's name as it appears in a traceback. The file is not run."""
    try:
        code = _Reader("_", file.path).get_code("_")
    except (ImportError, SyntaxError, ValueError, OSError):
        return
    yield f"at {'/'.join(Path(file.path).parts[-2:])} line"
    if code is not None:
        yield from _strings(code)


class _Reader(SourceFileLoader):
    """Reads a module's code without running it and without writing byte code."""

    def set_data(self, path: str, data: object, *, _mode: int = 0o666) -> None:
        """Write no byte code."""


@cache
def _contract_names() -> frozenset[str]:
    """Names of the contract's models and fields, from which the location of a validation error is built."""
    from octavo_contracts import Model

    models = [Model]
    for model in models:
        models += model.__subclasses__()
    return frozenset(name for model in models for name in (model.__name__, *model.model_fields))


def is_field_path(path: str) -> bool:
    """True if a path consists only of names of contract fields and of numbers."""
    return all(part.isdecimal() or part in _contract_names() for part in path.split("."))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, CodeType):
        for constant in value.co_consts:
            yield from _strings(constant)
    elif isinstance(value, tuple | frozenset):
        for item in value:
            yield from _strings(item)
