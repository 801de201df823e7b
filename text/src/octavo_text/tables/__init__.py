"""Tables of two readings of a page, compared and completed by their words."""
