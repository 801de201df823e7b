"""The library as a graph: documents, corpora and observed entities as nodes, and the plugin that takes them (ENG-26)."""
