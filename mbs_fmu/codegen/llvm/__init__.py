"""Translation of kernels to LLVM code: the subset of Python, kinds of values, expressions, statements and calls."""
