"""Translation of the text of kernels to machine code, and the functions through which Python calls it."""
