"""The algebra of one body step, written once on symbolic scalars, and its emission as source text."""
