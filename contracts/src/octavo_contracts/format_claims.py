"""Formats of a plugin's own: how a host recognises them, by the manifest alone.

A host knows the common formats. A plugin for another one says in its manifest how its files are recognised among XML, JSON,
ZIP, OLE, text or binary files that are of no known format.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ._model import Model

FormatFamily = Literal["xml", "json", "zip", "ole", "text", "binary"]
"""What a file is when no known format fits: the format of a plugin's own is one of these underneath."""

_SIGNATURE_OF: dict[str, tuple[str, ...]] = {
    "xml": ("root",),
    "json": ("keys",),
    "zip": ("members",),
    "ole": ("streams",),
    "text": ("magic",),
    "binary": ("magic",),
}
"""Family → fields that may describe its signature."""

_Name = Annotated[str, Field(min_length=1, max_length=255)]


class FormatClaim(Model):
    """A format of a plugin's own.

    A file is of this format if it is of the family, of no format that the host knows, and has the signature. A claim without
    a signature needs extensions: then the name decides.
    """

    media_type: str = Field(
        pattern=r"^[a-z0-9][a-z0-9!#&^_.+-]*/[a-z0-9][a-z0-9!#&^_.+-]*$",
        description="Its media type, one of the plugin's `media_types`.",
    )
    within: FormatFamily = Field(description="Family of its files.")
    extensions: tuple[Annotated[str, Field(pattern=r"^\.[a-z0-9][a-z0-9_-]{0,15}$")], ...] = Field(
        default=(),
        description="File extensions with the dot, lower case. They decide only where there is no signature.",
    )
    root: str | None = Field(
        default=None,
        pattern=r"^(\{[^{}\s]+\})?[^{}\s:<>/]+$",
        max_length=500,
        description="xml: the root element, `name` or `{namespace}name`.",
    )
    keys: tuple[_Name, ...] = Field(default=(), description="json: keys of the outermost object; all must be there.")
    members: tuple[_Name, ...] = Field(
        default=(), description="zip: names of members, with `*` and `?` as wildcards; each must match one."
    )
    streams: tuple[_Name, ...] = Field(default=(), description="ole: names of streams or storages; all must be there.")
    magic: str | None = Field(
        default=None,
        pattern=r"^([0-9a-f]{2}){2,64}$",
        description="text, binary: bytes at `offset`, as hexadecimal digits.",
    )
    offset: int = Field(default=0, ge=0, le=4096, description="Position of `magic` from the first byte.")

    @property
    def has_signature(self) -> bool:
        """Whether the content decides; otherwise the extension does."""
        return bool(self.root or self.keys or self.members or self.streams or self.magic)

    @model_validator(mode="after")
    def _is_decidable(self) -> Self:
        given = [name for names in _SIGNATURE_OF.values() for name in names if getattr(self, name)]
        if odd := sorted(set(given) - set(_SIGNATURE_OF[self.within])):
            raise ValueError(f"{', '.join(odd)} does not describe a file of the family {self.within}")
        if not given and not self.extensions:
            raise ValueError("a format needs a signature or extensions")
        return self
