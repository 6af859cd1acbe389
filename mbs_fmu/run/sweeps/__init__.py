"""Parameter sweeps: more runs than fit into memory, in chunks on disk."""
