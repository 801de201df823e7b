"""What a reader wants to know of a document before reading it, every word of it quoted (INT-1)."""

from .making import Brief, make_brief
from .quoting import Quoted

__all__ = ["Brief", "Quoted", "make_brief"]
