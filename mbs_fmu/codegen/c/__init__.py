"""Translation of kernels to C99: effects of expressions, declarations, expressions, statements, and the file.

This writer reads the same checked subset of Python as the writer of LLVM code, with the same kinds of values
(`llvm/subset.py`, `llvm/kinds.py`), and writes the same operations in the same order. So both give the same bits,
but for the last bit of powers and functions of the C library.
"""
