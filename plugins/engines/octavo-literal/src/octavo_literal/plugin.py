"""The plugin `literal` implements no document hook; its service is `octavo_literal.extractor:make_extractor`."""
