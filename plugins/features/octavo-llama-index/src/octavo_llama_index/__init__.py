"""Octavo's documents for LlamaIndex: a reader of files, alone or behind `SimpleDirectoryReader`."""

from .reader import OctavoReader

__all__ = ["OctavoReader"]
