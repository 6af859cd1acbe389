"""Results: columns over time, batches, files, tables, comparison, plots."""
