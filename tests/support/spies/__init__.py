"""Records that note every access of a kernel, and the scenes that they are used in."""
