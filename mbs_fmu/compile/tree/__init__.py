"""The tree: bodies as links, their frames, link classes, coupled joints and elastic bodies."""
