"""Octavo feature: web pages that only a browser shows whole, rendered by a Firecrawl of your own."""
