"""Meshes: files, surfaces and volumes, and the selection of nodes and materials."""
