"""Octavo feature: renders web pages that need a browser, with your own Firecrawl server."""
