"""`Screen`: a page with its JSON twin, declared by its query, its view and the function between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from octavo_library import Library
from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request

from .access import Grant
from .background_work import BackgroundWork
from .problems import NotFound, Refused, owners_only
from .timed_cache import CachedCounts


class Query(BaseModel):
    """Parameters of a path and a query string. Unknown ones are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class View(BaseModel):
    """What a page shows, which is also its JSON twin."""

    model_config = ConfigDict(frozen=True)


QueryT = TypeVar("QueryT", bound=Query)
ViewT = TypeVar("ViewT", bound=View)


@dataclass(frozen=True, kw_only=True)
class Reader:
    """The library as an asker sees it.

    Attributes:
        library: the library.
        grant: what the asker may see.
        work: the tasks of the server.
        counts: cached counts.
        may_change: whether the server accepts changes.
    """

    library: Library
    grant: Grant
    work: BackgroundWork
    counts: CachedCounts
    may_change: bool = True

    @property
    def corpus(self) -> str | None:
        """The asker's corpus; None for the library's owner."""
        return self.grant.corpus

    @property
    def owned(self) -> Library:
        """The library, for what is its owner's alone, such as runs and settings.

        Raises:
            Refused: the asker has a corpus.
        """
        if self.corpus is not None:
            raise owners_only()
        return self.library


@dataclass(frozen=True, kw_only=True)
class Screen(Generic[QueryT, ViewT]):
    """A page and its JSON twin.

    Attributes:
        path: path of the page, such as `/documents/{document_id}`; the twin has `.json` appended.
        template: name of the template.
        summary: what the page shows, in one sentence, for the description of the API.
        query: model of its parameters.
        view: model of what it shows.
        build: makes the view.
        is_owners: whether only the library's owner may see it.
    """

    path: str
    template: str
    summary: str
    query: type[QueryT]
    view: type[ViewT]
    build: Callable[[Reader, QueryT], ViewT]
    is_owners: bool = False

    def answer(self, reader: Reader, request: Request) -> ViewT:
        """The view for a request.

        Args:
            reader: the library as the asker sees it.
            request: the request.

        Raises:
            Refused: a parameter is invalid.
            NotFound: a parameter of the path is malformed.
            OctavoError: the error of `build`.
        """
        query = read_query(self.query, request)
        with reader.library.context.index.view():
            return self.build(reader, query)


def read_query(model: type[QueryT], request: Request) -> QueryT:
    """Validate the parameters of a request.

    Raises:
        Refused: a parameter of the query string is invalid, unknown or given twice.
        NotFound: a parameter of the path is malformed.
    """
    given: dict[str, Any] = {}
    for name, value in request.query_params.multi_items():
        if name in given or name in request.path_params:
            raise Refused(400, f"The parameter {name[:40]!r} is given twice", reason="invalid_request")
        if value != "":  # an empty field of a form
            given[name] = value
    try:
        return model.model_validate({**given, **request.path_params})
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "query"
        if name in request.path_params:
            raise NotFound("page") from None
        raise Refused(
            400, f"The parameter {name[:40]!r} is invalid: {first['msg']}", reason="invalid_request"
        ) from None
