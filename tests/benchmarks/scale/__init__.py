"""Libraries of several machines: speed beside one machine, and equality of the results."""
