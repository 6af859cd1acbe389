"""Code that tests share; README.md is its index."""
