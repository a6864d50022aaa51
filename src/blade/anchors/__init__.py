"""Anchor facts: what a report must know, generated from the runs or, more weakly, from a report's text."""
