"""FMUs: one variable table, its description, the pythonfmu slave, and their packing."""
