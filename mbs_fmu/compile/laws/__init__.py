"""Laws: user expressions as assignments to numbers of the record."""
