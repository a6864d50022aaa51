"""What the report and the viewer share: templates, style, colours, and how foreign text becomes safe markup."""

VIEWER_PORT = 8765
"""Where `blade view` listens unless told otherwise: links of a report lead there."""
