"""Values that stand in texts: dates and numbers."""
