"""Methods: their numbers and checks, the functions that they write, and the drivers that step with them."""
