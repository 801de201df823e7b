"""OC-LOAD: the plugin is found, named, versioned and imported as the contract requires."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from octavo.formats import UNKNOWN, format_of
from octavo.formats.claimed import claimed_format
from octavo.formats.plugin_claim import PluginClaim
from octavo_contracts import CONTRACT_VERSION, ContractViolation, host_accepts
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from ..checks import REGISTRY, Broken, Unproven, check, expect_none
from ..evidence import describe
from ..hook_calls import source_of
from ..subject import Subject
from ..targets import vectors_of
from ..vectors.ordinary import ordinary_files

_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+_-]*")
_EXTENSION = re.compile(r"\.[a-z0-9]+")


@check("OC-LOAD-001", scope="plugin", level=0, spec=("CNV-16",))
def manifest_is_found(subject: Subject) -> None:
    """The manifest is found without importing the package, is valid, and its name is the entry point's.

    Fix:
    Put `octavo-plugin.toml` in the top-level package and in the wheel.
    Use one name: NAME in the entry point and in the manifest, octavo-NAME for the distribution.
    A distribution of another name is used only where the operator gives it the name: `plugins.owners`.
    """
    failure = subject.failure
    if failure is not None and failure.stage != "contract":
        raise Broken("the host cannot use the plugin", expected="a valid manifest of that name", actual=failure.message)


@check("OC-LOAD-002", scope="plugin", level=0, spec=("ENG-19",), requires=("OC-LOAD-001",))
def contract_is_accepted(subject: Subject) -> None:
    """The host supports the plugin's contract version: same major, minor not above the host's.

    Fix:
    Set `contract` in the manifest to the version of octavo-contracts that you test with.
    """
    failure = subject.failure
    if failure is not None:
        raise Broken(
            "the host does not support the plugin's contract version",
            expected=f"{CONTRACT_VERSION} or an older minor",
            actual=failure.message,
        )
    assert host_accepts(subject.manifest.contract)  # otherwise the catalogue would have rejected the plugin


@check("OC-LOAD-003", scope="plugin", level=0, spec=("CNV-16", "ENG-10"), requires=("OC-LOAD-002",))
def module_imports(subject: Subject) -> None:
    """The plugin's module imports in a worker.

    Fix:
    Declare every import of the plugin in `dependencies`.
    Import the engine inside functions, and raise ToolUnavailable if it is missing.
    """
    error = subject.load_error
    if error is not None and not isinstance(error, ContractViolation):
        raise Broken("the plugin's module does not load", expected="a module that imports", actual=describe(error))


@check("OC-LOAD-004", scope="plugin", level=0, spec=("ENG-19",), requires=("OC-LOAD-003",))
def hooks_fit(subject: Subject) -> None:
    """The plugin implements the hooks in its manifest as plain functions with the parameters of the specification.

    Fix:
    Compare the names in the manifest's `hooks` with the functions marked `hookimpl`.
    Use only parameters of the specification; no defaults, no `async`, no generators.
    """
    error = subject.load_error
    if isinstance(error, ContractViolation):
        raise Broken(
            "a hook does not match the specification",
            expected=f"the hooks {sorted(subject.manifest.hooks)}",
            actual=error.message,
        )


@check("OC-LOAD-005", scope="plugin", level=0, spec=("CNV-16",), requires=("OC-LOAD-004",), wraps=True)
def engine_waits(subject: Subject) -> None:
    """Importing the plugin's module does not import its engine.

    Fix:
    Move the engine's import into the function that uses it.
    """
    if subject.first_import["engine_imported"]:
        engine = subject.manifest.engine.module
        raise Broken(
            "the engine is imported with the plugin",
            expected=f"{engine} not in sys.modules",
            actual=f"{engine} imported",
        )


@check("OC-LOAD-006", scope="plugin", level=0, spec=("CNV-16",), requires=("OC-LOAD-004",))
def import_is_quick(subject: Subject) -> None:
    """The plugin's module imports in under a second, without the engine.

    Fix:
    Move heavy imports and work at import time into the functions that need them.
    """
    limit = subject.budget.import_seconds
    seconds = subject.first_import["seconds"]
    if seconds >= limit:
        # A second attempt distinguishes a slow import from a busy machine.
        seconds = min(seconds, subject.import_facts()["seconds"])
    if seconds >= limit:
        raise Broken("the import is slow", expected=f"under {limit:g} s", actual=f"{seconds:.2f} s")


@check("OC-LOAD-007", scope="plugin", level=0, spec=("CNV-16",), requires=("OC-LOAD-002",), wraps=True)
def engine_is_in_range(subject: Subject) -> None:
    """The installed engine's version is in the manifest's range.

    Fix:
    Set `versions` of `[plugin.engine]` to a PEP 440 range that includes the version you test with.
    """
    engine = subject.manifest.engine
    found = subject.plugin.engine_version
    if engine.distribution is None:
        return
    try:
        wanted = SpecifierSet(engine.versions)
    except InvalidSpecifier as error:
        raise Broken(
            "the range is not a valid specifier", expected="a PEP 440 specifier", actual=engine.versions
        ) from error
    if found is None or not wanted.contains(found, prereleases=True):
        raise Broken(
            "the engine is outside the range", expected=f"{engine.distribution} {engine.versions}", actual=found
        )


@check("OC-LOAD-008", scope="plugin", level=0, spec=("CLS-8",), requires=("OC-LOAD-002",))
def types_are_canonical(subject: Subject) -> None:
    """Media types are lower case without parameters, extensions lower case with a dot; none is repeated.

    Fix:
    Write media types as the host detects them, for example `text/html`, and extensions as `.html`.
    """
    manifest = subject.manifest
    odd = [name for name in manifest.media_types if not _MEDIA_TYPE.fullmatch(name)]
    odd += [name for name in manifest.extensions if not _EXTENSION.fullmatch(name)]
    listed = [*manifest.media_types, *manifest.extensions]
    odd += sorted({name for name in listed if listed.count(name) > 1})
    expect_none(odd, "media types or extensions are not canonical", expected="type/subtype and .ext, each once")


@check("OC-LOAD-009", scope="plugin", level=0, spec=("CLS-8",), requires=("OC-LOAD-002",))
def own_formats_are_telling(subject: Subject) -> None:
    """Formats of the plugin's own are none that the host knows, and fit no ordinary text, XML, JSON, ZIP or binary file.

    Fix:
    Name the namespace of the root element, a member that only these archives have, or more keys or bytes.
    Leave types that the host detects out of `formats`: `media_types` is enough for them.
    """
    claims = [PluginClaim(plugin=subject.manifest.name, format=one) for one in subject.manifest.formats]
    known = sorted({one.format.media_type for one in claims if format_of(one.format.media_type) is not UNKNOWN})
    expect_none(known, "formats that the host detects by itself", expected="formats of the plugin's own")
    vague = []
    with TemporaryDirectory() as folder:
        for name, media_type, data in ordinary_files():
            source = source_of(data, Path(folder), media_type=media_type, name=name)
            if (claim := claimed_format(source, media_type, claims)) is not None:
                vague.append(f"{claim.format.media_type}: {name}")
    expect_none(vague, "ordinary files have the signature of a format", expected="files of the format alone")


@check("OC-LOAD-010", scope="plugin", level=3, spec=("CNV-16",), requires=("OC-LOAD-002",))
def capabilities_are_exercised(subject: Subject) -> None:
    """Each declared capability is exercised by a document of the suite, as far as the suite tests it at all.

    Fix:
    Declare the capabilities that show on documents of the plugin's media types, and leave out the others.
    """
    manifest = subject.manifest
    tested = {one.gate.has for one in REGISTRY} - {None}
    shown = {
        one.gate.has
        for one in REGISTRY
        if one.gate.has in manifest.capabilities
        and one.closed_by(manifest) is None
        and (
            # A check of converters that generates its own documents may have none of the plugin's media types.
            (one.scope == "plugin" and one.gate.hook != "convert")
            or next(vectors_of(one, manifest, seed=subject.seed, own=subject.own), None) is not None
        )
    }
    if silent := sorted(one.value for one in manifest.capabilities if one in tested - shown):
        raise Unproven(f"no document of the suite shows {', '.join(silent)}")
