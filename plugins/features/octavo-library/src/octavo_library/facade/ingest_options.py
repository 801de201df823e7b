"""How documents are ingested: one frozen set of options, and the same fields as keyword arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypedDict, Unpack


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """How documents are ingested.

    Attributes:
        corpus: the corpus that they join, by name; made if it is not there.
        surface: the way in (ENG-1).
        plugin: convert with this plugin what has to be converted; None: routing chooses.
        profile: routing rules; None: the corpus's, else the settings'.
        password: of encrypted documents.
        timeout: seconds that a plugin may take for one document.
        retry: convert again what failed before.
        entities: whether to look for entities; None: as corpus and settings say (ENT-1).
        reingest: convert known documents again too, as new versions that become the active ones (STO-13).
        activate: with `reingest`. None: the new version becomes the active one unless it lost pages or text of the
            version before; True: in any case; False: in no case.
    """

    corpus: str | None = None
    surface: str = "direct_upload"
    plugin: str | None = None
    profile: str | None = None
    password: str | None = None
    timeout: float | None = None
    retry: bool = False
    entities: bool | None = None
    reingest: bool = False
    activate: bool | None = None


class IngestFields(TypedDict, total=False):
    """The fields of `IngestOptions` as keyword arguments."""

    corpus: str | None
    surface: str
    plugin: str | None
    profile: str | None
    password: str | None
    timeout: float | None
    retry: bool
    entities: bool | None
    reingest: bool
    activate: bool | None


def merge_options(options: IngestOptions | None, **fields: Unpack[IngestFields]) -> IngestOptions:
    """Options with some fields replaced.

    Args:
        options: the options; None: the defaults.
        fields: the fields that replace theirs.

    Raises:
        TypeError: there is no such field.
    """
    return replace(options or IngestOptions(), **fields)
