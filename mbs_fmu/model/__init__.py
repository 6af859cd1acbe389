"""The user's words: bodies, joints, forces, signals and outputs. No numerics here."""
