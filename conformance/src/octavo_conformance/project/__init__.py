"""New projects of plugins: a typed package with a manifest and tests for each hook, a service or a feature."""
