"""The command `octavo memory`."""
