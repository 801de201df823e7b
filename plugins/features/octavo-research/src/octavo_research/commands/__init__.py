"""The commands of research."""
