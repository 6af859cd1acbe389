"""Reverse mode of kernels with loops: from the text of kernels to the text of their adjoints."""
