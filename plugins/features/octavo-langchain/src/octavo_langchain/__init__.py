"""Octavo's documents for LangChain: a loader of files, a parser of blobs, and a retriever over a library."""

from .loader import OctavoBlobParser, OctavoLoader
from .retriever import OctavoRetriever

__all__ = ["OctavoBlobParser", "OctavoLoader", "OctavoRetriever"]
