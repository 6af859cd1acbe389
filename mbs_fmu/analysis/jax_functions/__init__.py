"""Functions of models as functions of JAX."""
