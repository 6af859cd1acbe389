"""Pages of models: those in which a model runs, and those of its start or of a result."""
