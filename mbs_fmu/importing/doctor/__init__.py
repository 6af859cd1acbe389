"""Check of robot files: findings on links and joints, their causes, and mended files."""
