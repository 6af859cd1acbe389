"""Pictures of motion: where bodies are in all rows of a result, what they look like, a page that shows it."""
