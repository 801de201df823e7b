"""Commands that work on documents."""
