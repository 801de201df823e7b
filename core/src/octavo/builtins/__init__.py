"""The hook implementations that Octavo ships."""
