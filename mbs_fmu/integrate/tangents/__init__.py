"""tangents"""
