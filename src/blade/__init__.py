"""BLADE reads finished evaluation runs and says why the score changed and what to fix."""

__version__ = "0.1.0"
