"""Model -> Program: tree order, names and slots, the generated module, the first record."""
