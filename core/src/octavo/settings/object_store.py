"""Settings for a library whose files are in an object store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

GIB = 1 << 30


@dataclass(frozen=True, kw_only=True)
class ObjectStoreSettings:
    """Settings of a library at `s3://…`, `gs://…` or `az://…`. Credentials are read from the environment only.

    Attributes:
        originals: `reference`: a file of the user's stays where it is and is named by its path. `stored`: its bytes are
            stored in the library too, so that another machine can convert them.
        workspace: folder on this machine for the read cache, the chunk index and logs; None: one for each library in
            the user's cache folder.
        cache_bytes: limit of the read cache, bytes.
        timeout: seconds for one request to the object store.
        lease_seconds: how long a process counts as alive without a sign. Its documents then go to other machines.
    """

    originals: Literal["reference", "stored"] = "reference"
    workspace: str | None = None
    cache_bytes: Annotated[int, Field(ge=0)] = 10 * GIB
    timeout: Annotated[float, Field(gt=0)] = 60.0
    lease_seconds: Annotated[float, Field(gt=0)] = 60.0
