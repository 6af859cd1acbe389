"""What is kept on disk: files that are there as a whole or not at all, and the cache."""
