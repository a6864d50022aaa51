"""Takes out what must not be shared: credentials, private hosts, user names, e-mails, declared names and fields."""

from __future__ import annotations

from blade.sanitize.findings import Findings, as_json, as_text
from blade.sanitize.rules import Policy
from blade.sanitize.tokens import Tokens, load_mapping, save_mapping
from blade.sanitize.work import is_clean, sanitize, scan

__all__ = [
    "Findings",
    "Policy",
    "Tokens",
    "as_json",
    "as_text",
    "is_clean",
    "load_mapping",
    "sanitize",
    "save_mapping",
    "scan",
]
