"""A document before conversion: its bytes, its location and its ids."""
