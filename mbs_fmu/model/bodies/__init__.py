"""Material and appearance of bodies: shapes, colours, solids of one density."""
