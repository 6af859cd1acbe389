"""What a compiled mechanism is as data: the record and its regions, the program, what is said of failures."""
