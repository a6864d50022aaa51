"""The local web viewer: one server, server-rendered pages, from a claim to the message that proves it."""
