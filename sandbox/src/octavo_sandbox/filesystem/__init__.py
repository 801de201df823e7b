"""Files and folders: crash-safe writes, folder handles that a link cannot redirect, and walks that no link leads out of their folder."""
