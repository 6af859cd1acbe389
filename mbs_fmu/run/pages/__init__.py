"""Pages in which a model runs."""
