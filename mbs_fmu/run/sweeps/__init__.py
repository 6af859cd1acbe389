"""Sweeps: more runs than a machine has room for, in chunks on disk."""
