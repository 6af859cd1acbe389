"""The algebra of one body step, written once on symbolic scalars: twists, both solvers, their tangents."""
