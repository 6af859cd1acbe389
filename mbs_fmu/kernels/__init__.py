"""The text around the steps, as functions that are copied into generated modules: loops, start, stabilisation."""
