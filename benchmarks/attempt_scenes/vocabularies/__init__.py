"""The vocabularies of attempt scenes: a module each."""
