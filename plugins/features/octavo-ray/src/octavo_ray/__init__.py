"""Documents ingested on the nodes of a Ray cluster: the executor `ray` of `octavo ingest`.

Ray places, starts and restarts one supervisor a node; each runs what `octavo worker` runs. Which documents are done is
recorded by the leases in the library's index alone. Ray is imported when `--executor ray` is given, and not before.
"""

from .executor import RayExecutor
from .options import RayOptions

__all__ = ["RayExecutor", "RayOptions"]
