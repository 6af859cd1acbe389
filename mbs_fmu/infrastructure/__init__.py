"""Support for all other packages, independent of mechanics: errors and messages, progress, files and the cache."""
