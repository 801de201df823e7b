"""Octavo's own hook implementations: the plugin `builtin`, with the lowest priority.

Like every plugin it has a manifest, `octavo-plugin.toml`, and hooks in `plugin`. The host trusts them, so they need no
worker call of their own: the classifier runs in the worker call that inspects the document, the score in the host.
`pdf_forms` reads filled form fields in a worker; this is not a hook, `octavo.conversion.steps` calls it.
"""

BUILTIN = "builtin"
"""The plugin's name in attempts, in `octavo.classified_by` and `octavo.scored_by`, and in the settings of the hooks."""
