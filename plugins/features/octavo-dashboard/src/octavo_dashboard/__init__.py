"""A library in the browser: screens for people, and a JSON twin of every screen for programs.

    with Library.open("library", create=False) as library:
        app = make_app(library, DashboardOptions(access=Access.open_to(corpus="case")))

Importing this package imports neither Starlette nor octavo-library: names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo_sandbox.lazy_names import lazily

if TYPE_CHECKING:
    from .access import Access, Grant
    from .application import make_app
    from .options import DashboardOptions

__all__ = ["Access", "DashboardOptions", "Grant", "make_app"]

__getattr__, __dir__ = lazily(
    __name__,
    {"Access": "access", "DashboardOptions": "options", "Grant": "access", "make_app": "application"},
)
