"""Reader of OpenCRG files (.crg): measured roads on a grid along a curved reference line.

`header.py` reads sections and channels, `records.py` the rows of numbers, `axes.py` the lines u and v of the grid,
`line.py` integrates the reference line, `modifiers.py` applies modifiers and options, `reading.py` combines them.
"""
