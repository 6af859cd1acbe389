"""The methods of `Model` by subject: bodies, closures, gears, signals, events, starts."""
