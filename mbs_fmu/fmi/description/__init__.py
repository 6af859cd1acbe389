"""modelDescription.xml: table of variables, XML for FMI 2.0 and 3.0, and checks."""
