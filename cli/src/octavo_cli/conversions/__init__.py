"""What `octavo convert` does with one document, and with many."""
