"""The hook implementations that Octavo ships: the plugin `builtin`, of the lowest priority of all.

`octavo-plugin.toml` is its manifest and `plugin` holds its hooks, as those of every plugin. The host trusts them, so that
none costs a call of its own: the classifier runs in the worker call that inspects the document, the score in the host.
`pdf_forms` reads filled form fields in a worker; there is no hook for these, `octavo.conversion.steps` calls it.
"""

BUILTIN = "builtin"
"""The plugin's name: in attempts, in `octavo.classified_by` and `octavo.scored_by`, and in the settings of the hooks."""
