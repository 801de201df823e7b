"""Routing rules, what sampling measured of them, and the user's decisions (CNV-4)."""
