"""Our own error texts, in the manner of the systems that write such texts: many wordings, so none is the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

__all__ = ["OUTAGES", "TOOL_ERRORS", "filled", "fixed_part"]

OUTAGES: tuple[tuple[str, str], ...] = (
    ("sandbox_unreachable", "503 Service Unavailable: no sandbox worker took the request within {ms} ms"),
    ("upstream_error", "502 Bad Gateway from {host}: the upstream closed the stream early (request {id})"),
    ("connection_refused", "ConnectionRefusedError: connect to {host}:8443 was refused, giving up on {id}"),
    ("dns_failure", "could not resolve host {host}: temporary failure in name resolution"),
    ("gateway_timeout", "504 Gateway Timeout: {host} sent no headers for {ms} ms"),
    ("connection_reset", "connection reset by peer while reading the response body of {id}"),
    ("container_lost", "container {id} is gone: the node {host} stopped answering its health probe"),
    ("oom_killed", "sandbox process {id} was killed by the kernel: out of memory, exit code 137"),
    ("rate_limited", "429 Too Many Requests: quota of the project is used up, retry after {ms} ms (ref {id})"),
    ("tls_failure", "TLS handshake with {host} failed: the certificate expired"),
    ("provider_overloaded", "529 overloaded: the model provider shed request {id}, all retries are spent"),
    ("internal_error", "500 Internal Server Error, trace {id}: worker crashed before the first token"),
    ("disk_full", "OSError: no space left on device while the sandbox image was unpacked on {host}"),
    ("read_timeout", "ReadTimeout after {ms} ms on POST /v1/responses, attempt 4 of 4"),
)
"""Kind and message of a broken service. `{id}`, `{host}` and `{ms}` differ from row to row."""

TOOL_ERRORS = (
    "Error: the query names a column that no longer exists.",
    "Error: permission denied for this view (ref {id}).",
    '{"error": "schema version 7 expected, client sent 6", "ref": "{id}"}',
    "ToolError: could not parse the filter expression near 'date_to'.",
    "KeyError: 'entries'",
    "TypeError: search() got an unexpected keyword argument",
    '{"ok": false, "reason": "index is being rebuilt, results are withheld", "ref": "{id}"}',
    "Error 1146: table 'records_v2' is not defined",
    "Traceback (most recent call last): ... ValueError: invalid literal for page size",
    "the tool returned no result: validation of its own output did not pass ({id})",
)
"""What a tool that is there, but broken, answers. A tool that cannot be reached is an outage."""

HOSTS = ("gw-3.sandbox.internal", "pool-b.infer.local", "runner-17.exec.internal", "edge-2.models.local")


def filled(message: str, rng: random.Random) -> str:
    """The message with the parts that change from one request to the next."""
    for name, text in (
        ("{id}", f"{rng.getrandbits(40):010x}"),
        ("{host}", rng.choice(HOSTS)),
        ("{ms}", str(rng.randrange(20_000, 90_000))),
    ):
        message = message.replace(name, text)
    return message


def fixed_part(message: str) -> str:
    """The longest piece of the message that is the same on every row."""
    pieces = [message]
    for name in ("{id}", "{host}", "{ms}"):
        pieces = [part for piece in pieces for part in piece.split(name)]
    return max(pieces, key=len).strip()
