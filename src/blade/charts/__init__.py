"""What the report shows: one file per chart. Each has a TITLE, the SECTION it stands in, and `draw(analysis)`.

`draw` returns a picture with its words and the table behind it, or none where there is nothing to show.
"""
