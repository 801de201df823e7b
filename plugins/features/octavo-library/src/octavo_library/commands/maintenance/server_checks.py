"""What `octavo doctor` tries of a library on servers: its object store, and the database of its index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_cli.toolkit.server_check import ServerCheck

if TYPE_CHECKING:
    from octavo.settings.settings import Settings

    from ...storage.objects.object_store import ObjectStore


def check(library: str, settings: Settings) -> tuple[ServerCheck, ...]:
    """A `CheckServers`. The object store is written to: one object below `tmp`, which is removed again."""
    from ...storage.objects.object_client import is_object_url

    if settings.index is None and not is_object_url(library):
        return ()
    found: list[ServerCheck] = []
    noted = None
    if is_object_url(library):
        store, of_store = _try_store(library, settings)
        found.append(of_store)
        noted = _noted_id(store) if store is not None else None
    if settings.index is None:
        problem = f"the library at {library} needs its index in a database on a server"
        remedy = "Give its URL as --index, in octavo.toml, or as OCTAVO_INDEX"
        found.append(ServerCheck(name="index", place="", problem=problem, remedy=remedy))
    else:
        found.append(_try_index(settings.index.get_secret_value(), noted=noted))
    return tuple(found)


def _try_store(url: str, settings: Settings) -> tuple[ObjectStore | None, ServerCheck]:
    from octavo_contracts import OctavoError

    from ...facade.object_library import open_store
    from ...storage.files import layout

    try:
        store = open_store(url, settings)
        is_made = store.facts(layout.INDEX_ELSEWHERE) is not None
    except OctavoError as error:
        return None, ServerCheck(name="object store", place=url, problem=error.message, remedy=error.remedy or "")
    finding = "can be read and written, with conditional writes"
    finding += "" if is_made else "; it has no library yet"
    return store, ServerCheck(name="object store", place=url, finding=finding)


def _noted_id(store: ObjectStore) -> str | None:
    from octavo_contracts import OctavoError

    from ...storage.index.location import noted_id

    try:
        return noted_id(store)
    except OctavoError:
        return None  # the next opening says what is wrong with the note


def _try_index(text: str, *, noted: str | None) -> ServerCheck:
    from octavo_contracts import OctavoError

    from ...storage.index.server import server_url, shown
    from ...storage.index.server_facts import read_server_facts

    place = ""
    try:
        url = server_url(text)
        place = shown(url)
        facts = read_server_facts(url)
    except OctavoError as error:
        return ServerCheck(name="index", place=place, problem=error.message, remedy=error.remedy or "")
    problem, remedy = facts.problem(noted)
    finding = facts.finding if problem is None else ""
    return ServerCheck(name="index", place=place, finding=finding, problem=problem, remedy=remedy)
