"""Files and folders: crash-safe writes, and handles that a link cannot redirect."""
