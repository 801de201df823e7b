"""Commands of the queue: submit documents, and work on them."""
