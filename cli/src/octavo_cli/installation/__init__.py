"""Commands about the installation, not about a library."""
