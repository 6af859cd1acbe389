"""Models as text in the language Modelica."""
