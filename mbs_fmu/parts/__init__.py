"""Parts of machines, built with the methods of `Model`: a state or two and a force each."""
