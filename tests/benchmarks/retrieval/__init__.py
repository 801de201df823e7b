"""How well and how fast the retrieval tools find pages."""
