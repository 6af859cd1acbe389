"""The algebra of one link's step, written once on symbolic scalars: twists, both solvers, the balance of momenta."""
