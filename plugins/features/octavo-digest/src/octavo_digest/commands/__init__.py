"""The commands that digest documents and verify digests."""
