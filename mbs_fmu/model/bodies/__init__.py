"""What bodies are made of and look like: shapes, colours, solids of one density."""
