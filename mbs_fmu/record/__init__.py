"""A compiled mechanism as data: the record and its regions, the program."""
