"""What the report says: one file per section. Each has a TITLE, an ORDER, and `build(analysis)`.

`build` returns the section's blocks, or none where there is nothing to say: then the section does not appear.
"""
