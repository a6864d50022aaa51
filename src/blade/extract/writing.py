"""Whether a command of a shell, or a statement of SQL, writes."""

from __future__ import annotations

import re

_REDIRECTS = r"(?<![0-9&])>{1,2}\s*(?!/dev/null|&)[\w./~$\"'-]"
_COMMANDS = (
    r"\bsed\s+-i|\bgit\s+(apply|commit|push|checkout|reset|am|merge)\b|"
    r"\b(rm|mv|cp|mkdir|touch|chmod|chown|ln|tee|patch|truncate|dd)\s|\b(pip3?|npm|apt|apt-get|yarn|cargo|conda)\s+"
    r"(install|add|remove|uninstall)\b|\b(INSERT|UPDATE|DELETE|DROP|ALTER|CREATE)\s"
)
_WORDS = frozenset(
    b"sed git rm mv cp mkdir touch chmod chown ln tee patch truncate dd pip pip3 npm apt yarn cargo conda "
    b"INSERT UPDATE DELETE DROP ALTER CREATE".split()
)
"""The words that the commands begin with."""
_REDIRECT = re.compile(_REDIRECTS)
_COMMAND = re.compile(_COMMANDS)
_APART = bytes(code if code < 128 and (chr(code).isalnum() or chr(code) == "_") else 32 for code in range(256))


def writing(text: str) -> bool:
    """Whether a text of a command writes: it sends output to a file, or holds a command that changes something.

    To take a text apart and look at the places of single words costs far less than to try a pattern everywhere.
    """
    if _matches(_REDIRECT, text, ">"):
        return True
    parts = text.encode("utf-8", errors="replace").translate(_APART).split()
    return any(_matches(_COMMAND, text, word.decode()) for word in _WORDS.intersection(parts))


def _matches(pattern: re.Pattern[str], text: str, word: str) -> bool:
    """Whether a pattern that begins with a word matches at one of the word's places."""
    at = text.find(word)
    while at >= 0:
        if pattern.match(text, at):
            return True
        at = text.find(word, at + 1)
    return False
