"""modelDescription.xml: the table of variables, its XML for FMI 2.0 and 3.0, and its checks."""
