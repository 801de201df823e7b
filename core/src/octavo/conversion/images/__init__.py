"""The images of a document: collected by a worker, written beside the markdown and linked from it."""
