"""From the text of kernels to machine code, and from machine code to what Python calls."""
