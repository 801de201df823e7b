"""Commands that work on the installation, not on a library."""
