"""What commands share: options, output, exit codes. Features may import it."""
