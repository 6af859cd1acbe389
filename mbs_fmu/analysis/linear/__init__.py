"""Linear models, steady motions about which they hold, and their eigenmodes."""
