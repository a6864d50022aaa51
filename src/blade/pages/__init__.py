"""What the report and the viewer share: templates, style, colours, and how foreign text becomes safe markup."""
