"""Files and folders: crash-safe writes, and folder handles that a link cannot redirect."""
