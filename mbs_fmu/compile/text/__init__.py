"""Generated text: the modules of a model, and the writers of their functions."""
