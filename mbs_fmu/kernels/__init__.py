"""Templates around the traced steps: loops over bodies, laws, one-step methods, and their loader."""
