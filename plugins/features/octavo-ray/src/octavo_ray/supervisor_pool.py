"""Keeps one supervisor on each node of a cluster while a run lasts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from octavo_cli.toolkit.output import note
from octavo_contracts import OctavoError, ToolUnavailable
from octavo_library.ingestion.events import EngineEvent, JobEnded, Paused, Resumed

from .cluster import Cluster, Node
from .event_lines import ERROR, EVENT, OPEN, error_of, event_of
from .node_spec import NodeSpec
from .options import RayOptions
from .supervisor import Report, Supervisor

RESTARTS = 5
"""How often Ray starts a supervisor again that died; its node is then given up for the rest of the run."""

REPORT_SECONDS = 1.0
"""How long a supervisor waits for news before it reports."""

LOOK_SECONDS = 2.0
"""Interval of looking for new nodes."""

START_SECONDS = 120.0
"""Longest time until the first supervisor works, and without any node that could have one."""

STOP_SECONDS = 20.0
"""Time for the processes of the nodes to return their documents to the queue."""

_RESERVED = {"CPU": "num_cpus", "GPU": "num_gpus", "memory": "memory"}
"""Resources that Ray names apart → the option that holds them."""


@dataclass(slots=True)
class _Supervised:
    """A node with a supervisor.

    Attributes:
        node: the node.
        actor: the handle of the supervisor.
        pending: the report that was asked for.
        is_working: whether its process has the library open.
        ended: documents that it brought to an end.
    """

    node: Node
    actor: Any
    pending: Any
    is_working: bool = False
    ended: int = 0


class SupervisorPool:
    """The workers of a run, as `octavo_library.ingestion.queued_run.Workers`.

    Ray restarts a supervisor that dies. The pool places one on each node that joins, and forgets a node that is lost: its
    documents return to the queue when its lease expires. No call of a supervisor is retried, as none does work.

    Args:
        cluster: the cluster.
        spec: the work of each node.
        options: which nodes are used, and what is held there.
        emit: receives the events of all nodes.
    """

    def __init__(
        self, cluster: Cluster, spec: NodeSpec, options: RayOptions, *, emit: Callable[[EngineEvent], None]
    ) -> None:
        self._cluster = cluster
        self._ray = cluster.ray
        self._spec = spec
        self._options = options
        self._emit = emit
        self._supervised: dict[str, _Supervised] = {}
        self._given_up: dict[str, OctavoError] = {}
        self._ended: dict[str, int] = {}
        self._looked = 0.0
        self._last_working = 0.0
        self._is_stopped = False

    def start(self, run_id: str) -> None:
        """As `Workers.start`."""
        self._cluster.fitting(self._options.resources)
        self._last_working = time.monotonic()
        self._place()

    def check(self) -> None:
        """As `Workers.check`.

        Raises:
            OctavoError: every node was given up, for the reason of the last one; no node is left; or the head is lost.
        """
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            if not self._cluster.has_head():
                return
            self._place()
        self._collect()
        now = time.monotonic()
        if any(one.is_working for one in self._supervised.values()):
            self._last_working = now
        elif not self._supervised and self._given_up:
            raise next(reversed(self._given_up.values()))
        elif now - self._last_working > START_SECONDS:
            raise ToolUnavailable(
                f"no node of the Ray cluster has worked for {START_SECONDS:.0f} s",
                remedy="See `ray status` for free resources, and the logs of the nodes; then run the command again",
            )

    def stop(self) -> None:
        """As `Workers.stop`."""
        if self._is_stopped:
            return
        self._is_stopped = True
        if self._cluster.is_lost:
            return  # its nodes end their supervisors by themselves, which return their documents
        asked = {one.pending: one for one in self._supervised.values()}  # their last events may be in these
        asked |= {one.actor.stop.remote(STOP_SECONDS): one for one in self._supervised.values()}
        if asked:
            ready, _ = self._ray.wait(list(asked), num_returns=len(asked), timeout=STOP_SECONDS + 5)
            for ref in ready:
                self._read(asked[ref], ref)
        for one in list(self._supervised.values()):
            self._forget(one)
        shares = ", ".join(f"{name}: {count}" for name, count in self._ended.items() if count)
        if shares:
            note(f"octavo: documents ended by node: {shares}")

    # -- placement ------------------------------------------------------------------------------------------

    def _place(self) -> None:
        """Start a supervisor on each fitting node that has none, up to the number that is wanted."""
        self._looked = time.monotonic()
        free = self._options.nodes
        for node in self._cluster.nodes():
            if free is not None and len(self._supervised) >= free:
                return
            if node.id not in self._supervised and node.id not in self._given_up and node.has(self._options.resources):
                self._supervised[node.id] = self._begin(node)

    def _begin(self, node: Node) -> _Supervised:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        held: dict[str, Any] = {"num_cpus": 0}
        own: dict[str, float] = {}
        for name, amount in self._options.resources.items():
            (held if name in _RESERVED else own)[_RESERVED.get(name, name)] = amount
        remote = self._ray.remote(Supervisor).options(
            **held,
            resources=own,
            max_restarts=RESTARTS,
            max_task_retries=0,
            max_concurrency=2,  # it stops while a report waits for news
            scheduling_strategy=NodeAffinitySchedulingStrategy(node_id=node.id, soft=False),
        )
        slots = self._spec.slots or max(1, int(self._options.resources.get("CPU") or node.resources.get("CPU", 1)))
        spec = NodeSpec(library=self._spec.library, settings=self._spec.settings, slots=slots, owner=self._spec.owner)
        actor = remote.remote(spec.to_json())
        return _Supervised(node, actor, actor.report.remote(REPORT_SECONDS))

    def _forget(self, one: _Supervised) -> None:
        self._supervised.pop(one.node.id, None)
        self._ended[str(one.node)] = self._ended.get(str(one.node), 0) + one.ended
        self._ray.kill(one.actor, no_restart=True)

    def _give_up(self, one: _Supervised, error: OctavoError) -> None:
        note(f"octavo: node {one.node} is not used: {error.message}")
        self._given_up[one.node.id] = error
        self._forget(one)

    # -- reports --------------------------------------------------------------------------------------------

    def _collect(self) -> None:
        """Read the reports that have come, and ask for the next ones."""
        asked = {one.pending: one for one in self._supervised.values()}
        if not asked:
            return
        ready, _ = self._ray.wait(list(asked), num_returns=len(asked), timeout=0)
        for ref in ready:
            one = asked[ref]
            self._read(one, ref)
            if one.node.id in self._supervised:
                one.pending = one.actor.report.remote(REPORT_SECONDS)

    def _read(self, one: _Supervised, ref: Any) -> None:
        errors = self._ray.exceptions
        try:
            report: Report = self._ray.get(ref)
        except errors.ActorUnavailableError:
            self._note_death(one)
            return
        except errors.RayError as error:
            self._lose(one, error)
            return
        for line in report["lines"]:
            self._hear(one, json.loads(line))

    def _note_death(self, one: _Supervised) -> None:
        """Tell that a supervisor at work has died, once."""
        if one.is_working:
            note(f"octavo: the supervisor of node {one.node} died; Ray starts it again")
        one.is_working = False

    def _lose(self, one: _Supervised, error: Exception) -> None:
        if self._is_stopped:
            return
        if any(node.id == one.node.id for node in self._cluster.nodes()):
            why = str(error).strip().splitlines()[-1:] or [type(error).__name__]
            self._give_up(
                one, ToolUnavailable(f"node {one.node.host}: its supervisor cannot be kept: {why[0].strip()}")
            )
            return
        note(f"octavo: node {one.node} is lost; its documents go to other nodes when its lease ends")
        self._forget(one)

    def _hear(self, one: _Supervised, line: dict[str, Any]) -> None:
        if line["kind"] == OPEN:
            self._note_death(one)  # between two reports no error tells of it
            one.is_working = True
            note(f"octavo: node {one.node} works, {line['slots']} documents in parallel")
        elif line["kind"] == ERROR and not self._is_stopped:
            self._give_up(one, error_of(line, host=one.node.host))
        elif line["kind"] == EVENT and (event := event_of(line)) is not None:
            one.ended += isinstance(event, JobEnded)
            if isinstance(event, Paused):
                note(f"octavo: node {one.node} is paused ({event.cause.value}) {event.advice}".rstrip())
            elif isinstance(event, Resumed):
                note(f"octavo: node {one.node} has resumed after {event.seconds:.0f} s ({event.cause.value})")
            else:
                self._emit(event)
