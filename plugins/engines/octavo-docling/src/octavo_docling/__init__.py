"""Octavo engine: office documents, web pages and PDF by Docling; see the distribution's README."""
