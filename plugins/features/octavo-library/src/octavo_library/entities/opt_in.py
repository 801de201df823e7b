"""Decides whether entities are extracted from a document: a pure function of run, settings, corpus and type (ENT-1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final, NamedTuple

from octavo_contracts import UsageError

ON_PROFILES: Final = frozenset({"research", "legal", "transcript", "case_file"})
"""Corpus profiles with entity extraction by default."""

OFF_CATEGORIES: Final = frozenset({"audio", "image"})
OFF_SUBKINDS: Final = frozenset({"email"})
"""Personal correspondence."""

CODE_TYPES: Final = frozenset({"text/x-python", "application/javascript", "text/css", "application/json", "text/x-c"})


class OptIn(NamedTuple):
    """The decision.

    Attributes:
        wanted: whether to extract entities.
        because: the run, setting or rule that decided.
    """

    wanted: bool
    because: str


def opted_in(
    *,
    run: bool | None = None,
    by_document_type: Mapping[str, bool] | None = None,
    corpus: bool | None = None,
    profile: str | None = None,
    document_type: str | None = None,
    category: str | None = None,
    sub_kind: str | None = None,
    media_type: str | None = None,
) -> OptIn:
    """Decide; the most specific setting wins.

    Args:
        run: the caller's choice for this run; None: no choice.
        by_document_type: document type → yes or no, from the settings.
        corpus: the corpus's own setting; None: its profile decides.
        profile: the corpus's profile: a name, or the path of a `.toml` file, whose stem is the name.
        document_type: the effective type, for example 'deposition'.
        category: as classified, for example 'audio'.
        sub_kind: as classified, for example 'email'.
        media_type: type detected from the content.

    Returns:
        Whether to extract entities, and what decided. Without any setting: no.
    """
    if run is not None:
        return OptIn(run, "the run")
    override = (by_document_type or {}).get(document_type or "")
    if override is not None:
        return OptIn(override, f"the setting for the document type {document_type}")
    if corpus is not None:
        return OptIn(corpus, "the corpus")
    name = PurePath(profile).stem.replace("-", "_") if profile else None
    if name not in ON_PROFILES:
        return OptIn(False, f"the profile {name}" if name else "not enabled")
    if category in OFF_CATEGORIES:
        return OptIn(False, f"documents of the category {category}")
    if sub_kind in OFF_SUBKINDS:
        return OptIn(False, "correspondence")
    if media_type in CODE_TYPES:
        return OptIn(False, "code")
    return OptIn(True, f"the profile {name}")


MAX_LABEL: Final = 60
"""Longest name of an entity type, in characters."""
LABELS: Final = "entity_types"
"""Key of the entity types in the settings of a corpus."""


def check_labels(labels: Sequence[str]) -> None:
    """Check a list of entity types.

    Raises:
        UsageError: the list is empty, or a type is empty, longer than 60 characters, or not in lower case.
    """
    wrong = [label for label in labels if not label.strip() or len(label) > MAX_LABEL or label != label.strip().lower()]
    if wrong or not labels:
        said = f"the entity type {wrong[0]!r} is invalid" if wrong else "the list of entity types is empty"
        raise UsageError(said, remedy=f"Give types in lower case, such as person, of at most {MAX_LABEL} characters")


def labels_for(
    *,
    run: Sequence[str] | None,
    by_document_type: Mapping[str, Sequence[str]],
    corpora: Sequence[Sequence[str]],
    document_type: str | None,
    default: Sequence[str],
) -> tuple[str, ...]:
    """Return the entity types to extract from a document; the most specific list wins.

    Args:
        run: the caller's list for this run, or None.
        by_document_type: document type → list, from the settings.
        corpora: the list of each corpus of the document, with that of the settings for a corpus without one: a document of
            two corpora has the types of both, so that neither run undoes the other one.
        document_type: the effective type of the document.
        default: the list of the settings.
    """
    if run is not None:
        return tuple(run)
    if (by_type := by_document_type.get(document_type or "")) is not None:
        return tuple(by_type)
    return tuple(dict.fromkeys(label for labels in corpora for label in labels)) or tuple(default)


def could_opt_in(
    *, run: bool | None, by_document_type: Mapping[str, bool], corpus: bool | None, profile: str | None
) -> bool:
    """Whether `opted_in` may be true for any document, judged by what is known before one is opened."""
    if run is not None:
        return run
    return any(by_document_type.values()) or opted_in(corpus=corpus, profile=profile).wanted
