"""OC-GOLD on options of a plugin whose name says what they change."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from octavo_contracts import Capability, Conversion
from octavo_contracts.plugin_options import OptionError, options_of
from pydantic import JsonValue

from ..checks import GENERATED, Broken, Inapplicable, check
from ..evidence import page_texts
from ..subject import Subject
from ..vectors import GoldenVector, words_of
from ..vectors.coded_texts import make_coded_texts
from ..vectors.fresh import make_fresh
from ..vectors.placed_tables import make_placed_tables


@check(
    "OC-GOLD-046",
    scope="plugin",
    level=3,
    spec=("ENG-23", "QLT-2"),
    requires=("OC-GOLD-009",),
    hook="convert",
    vectors=GENERATED,
)
def options_change_what_they_name(subject: Subject) -> None:
    """A declared option `encoding` is the encoding in which a text is read; a declared option `tables` turns tables on and off.

    The plugin gets options as from a host: in `context.options` and in `request.options`. Options of other names are not judged.

    Fix:
    Decode the bytes with the encoding that is given, and do not guess; return no `Page.tables` if `tables` is false.
    Leave an option out of the manifest that has no effect.
    """
    known = [name for name in _KNOWN if name in subject.manifest.options]
    if not known:
        raise Inapplicable("the plugin declares no option of which the suite knows what it changes")
    for name in known:
        _KNOWN[name](subject, name)


def _conversion(subject: Subject, vector: GoldenVector, name: str, value: JsonValue) -> Conversion | None:
    """Return the conversion with an option, or None if the manifest does not allow its value."""
    try:
        options_of(subject.manifest.options, {name: value})
    except OptionError:
        return None
    return subject.convert_again(vector, given={name: value}).conversion()


def _expect_encoding(subject: Subject, name: str) -> None:
    for text in make_coded_texts(subject.seed, subject.media_types):
        conversion = _conversion(subject, text.vector, name, text.encoding)
        if conversion is None:
            continue
        found, wanted = (words_of(" ".join(parts)) for parts in (page_texts(conversion), text.vector.expected.pages))
        lost = [word for word in wanted if word not in found]
        if lost:
            raise Broken(
                f"{text.vector.path} is not read in the encoding of the option {name}", expected=lost, actual=found[:40]
            )


def _expect_tables(subject: Subject, name: str) -> None:
    for vector in _with_tables(subject):
        off, on = (_conversion(subject, vector, name, value) for value in (False, True))
        if off is not None and any(page.tables for page in off.pages):
            raise Broken(f"{vector.path} has tables although {name} is false", expected="none", actual="tables")
        is_declared = Capability.TABLES in subject.manifest.capabilities
        if on is not None and is_declared and not any(page.tables for page in on.pages):
            raise Broken(f"{vector.path} has no tables although {name} is true", expected="tables", actual="none")


def _with_tables(subject: Subject) -> Iterator[GoldenVector]:
    """Yield a document with tables of each format."""
    seen: set[str] = set()
    placed = (vector for vector, _ in make_placed_tables(subject.seed, subject.media_types))
    for vector in (*placed, *(one for one in make_fresh(subject.seed, subject.media_types) if one.expected.tables)):
        if vector.media_type not in seen:
            seen.add(vector.media_type)
            yield vector


_KNOWN: dict[str, Callable[[Subject, str], None]] = {
    "charset": _expect_encoding,
    "encoding": _expect_encoding,
    "tables": _expect_tables,
}
"""Name of an option → what to expect of it."""
