"""Commands that bring documents into a library."""
