"""Contacts between the collision shapes of robot files (docs/robots.md, "Contacts of the file")."""
