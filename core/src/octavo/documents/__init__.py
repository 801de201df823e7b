"""A document before its conversion: its bytes, its location and its ids."""
