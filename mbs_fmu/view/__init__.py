"""Animations: poses of bodies in all rows of a result, shapes, and an HTML page that displays them."""
