"""FMUs: the table of variables, the model description, Python and native binaries, and the archive."""
