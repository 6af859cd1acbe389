"""Steps with tangents, for sensitivities."""
