"""Steps and time loops: drivers, error control, events, resets, samples and switching."""
