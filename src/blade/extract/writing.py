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
_APART = bytes(code if chr(code).isalnum() or chr(code) == "_" else 32 for code in range(256))


def writing(text: str) -> bool:
    """Whether a text of a command writes: it sends output to a file, or holds a command that changes something."""
    return _redirects(text) or (_may_command(text) and _COMMAND.search(text) is not None)


def _redirects(text: str) -> bool:
    at = text.find(">")
    while at >= 0:
        if _REDIRECT.match(text, at):
            return True
        at = text.find(">", at + 1)
    return False


def _may_command(text: str) -> bool:
    """Whether one of the words stands there: to take a text apart costs far less than to try a pattern everywhere."""
    return not text.isascii() or not _WORDS.isdisjoint(text.encode().translate(_APART).split())
