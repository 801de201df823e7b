"""The reference page of services: the protocol of each kind, how a factory is called, and what calls it."""

from __future__ import annotations

import inspect

from octavo.plugins.services import ALWAYS_SET
from octavo_contracts import services
from reference_markdown import code_block, markdown, signature_text

CALLED_BY = {
    "crawler": "`octavo convert URL` and `octavo ingest URL`, for pages that a plain fetch does not give, where `web.crawler` names its server.",
    "digestor": "`octavo digest --digestor NAME`. Its factory has the parameter `settings`.",
    "embedder": "Search by meaning (`octavo search`, together with a `vector_index`) and `octavo digest --scorer hybrid/v1`, which needs no "
    "index and is the quickest way to see an embedder called.",
    "fetcher": "No command: a host may give its own to features that fetch.",
    "graph_intake": "A library whose setting `graph_intake` names the plugin: after each change, in the background, and by `octavo graph --sync`. "
    "Its factory has the parameter `settings`, with `folder`, where it may keep files between processes, and `options`, those of the plugin; the host opens it anew for each "
    "batch, and lets one process at a time call it.",
    "literal_extractor": "`octavo fields`.",
    "remote_recogniser": "Recognition of pages by a service across the network, where the policy allows it.",
    "scorer": "`octavo digest --scorer NAME`.",
    "search_provider": "`octavo research start --providers NAME`.",
    "summariser": "`octavo brief --summariser NAME`.",
    "vector_index": "Search by meaning. Its factory has the parameter `settings`, with `folder`, where the index is kept between processes, and "
    "`model`, the embedder's `model_id`.",
}
"""Kind → what calls a service of it."""


def services_page() -> list[str]:
    """The parts of the page."""
    parts = [
        "# Services",
        "A service is a part of a plugin that a host calls outside of the five hooks. The manifest names a factory for each kind: "
        '`[plugin.services] embedder = "octavo_name.service:make"`. The factory is called once in a process; it may have the parameters '
        "`settings`, a dictionary, and `services`, the other services of the host. What it returns has the methods below. Of several "
        "plugins with one kind a host takes the one that the user names, else the first by the manifest's priority and name. Every call has a deadline, "
        "and an error is reported with the plugin's name; `octavo doctor` says why a service cannot be used.",
    ]
    for kind, protocol in sorted(services.SERVICE_KINDS.items()):
        parts += [f"## `{kind}`", markdown(inspect.getdoc(protocol)), f"**Called by:** {CALLED_BY[kind]}"]
        if kind in ALWAYS_SET:
            parts.append("A factory without the parameter `settings` is refused.")
        for name, member in vars(protocol).items():
            if name.startswith("_"):
                continue
            if isinstance(member, property) and member.fget is not None:
                parts += [code_block(f"{name} -> {_returned(member.fget)}"), markdown(inspect.getdoc(member))]
            elif inspect.isfunction(member):
                parts += [code_block(signature_text(name, member)), markdown(inspect.getdoc(member))]
    return parts


def _returned(function: object) -> str:
    return str(getattr(function, "__annotations__", {}).get("return", "object"))
