"""The index: one object, made of the parts that each know one thing."""

from __future__ import annotations

from .attachments import Attachments
from .commits import Commits
from .comparisons import Comparisons
from .corpora import Corpora
from .document_records import DocumentRecords
from .documents import Documents
from .entities import Entities
from .lost_rows import LostRows
from .minhash import Sketches
from .original_paths import Places
from .purges import Purges
from .remarks import Remarks
from .runs import Runs
from .snapshots import Snapshots
from .status import Statuses
from .versions import Versions


class Index(
    Commits,
    Versions,
    Documents,
    Corpora,
    Places,
    Remarks,
    Attachments,
    Sketches,
    Entities,
    Comparisons,
    Purges,
    Runs,
    Statuses,
    Snapshots,
    DocumentRecords,
    LostRows,
):
    """The library's database: what is known, what is active, what is being done (STO-3, ENG-2).

    Every public method is one transaction, unless it stands in a `batch()` block. Safe to use from several threads,
    and several processes may have the same index open. See `octavo.storage.index.database.Database` for the arguments.
    """
