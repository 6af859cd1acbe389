"""From a Model to a Program: the tree of links, laws, layout, the text of the module, the first record."""
