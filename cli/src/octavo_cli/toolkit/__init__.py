"""Shared parts of commands: options, output, exit codes. Features may import it."""
