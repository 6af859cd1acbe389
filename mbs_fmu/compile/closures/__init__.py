"""Closed loops: closures as laws, their cuts and rows, constraint modes, samples, instantaneous quantities."""
