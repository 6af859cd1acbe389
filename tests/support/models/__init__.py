"""Fixed models that several test modules share."""
