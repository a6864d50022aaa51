"""Who may ask, and what a browser may do with the answer.

A page of another site could reach a server on this machine by a name that it points here (DNS rebinding): only known
host names are answered. Off the loopback, a random token is asked for once and kept in a cookie. Every answer forbids
scripts but ours, and everything from elsewhere.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Iterable
from dataclasses import field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from blade.frozen import frozen

COOKIE = "blade_token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
POLICY_NAME = "Content-Security-Policy"
HEADERS = {
    POLICY_NAME: POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@frozen
class Rules:
    """`hosts` are the names answered; `any_address` also answers to a bare address, which no site can claim."""

    hosts: frozenset[str]
    token: str | None = None
    any_address: bool = False

    def knows(self, host: str) -> bool:
        name = _name(host)
        return name in self.hosts or (self.any_address and _is_address(name))


def rules_for(host: str, token: str | None, extra_hosts: Iterable[str] = ()) -> Rules:
    """The rules for a server bound to this host."""
    names = {*LOOPBACK, *(name.lower() for name in extra_hosts)}
    if is_loopback(host):
        return Rules(frozenset(names), token)
    return Rules(frozenset({*names, host.lower(), socket.gethostname().lower()}), token, any_address=True)


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine can reach a server bound to this host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@frozen
class Guard:
    """Stands before the application."""

    app: ASGIApp
    rules: Rules = field(default_factory=lambda: Rules(frozenset(LOOPBACK)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                own_policy = headers.get(POLICY_NAME)  # the report's page has its style and script inside
                headers.update(HEADERS if own_policy is None else {**HEADERS, POLICY_NAME: own_policy})
            await send(message)

        refused = self._refusal(scope)
        await (refused or self.app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if not self.rules.knows(headers.get("host", "")):
            return PlainTextResponse("This server does not answer to that host name.\n", 421)
        if scope["method"] not in {"GET", "HEAD"}:
            return PlainTextResponse("Only GET and HEAD.\n", 405, {"Allow": "GET, HEAD"})
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return PlainTextResponse("Not for other sites.\n", 403)
        return self._without_token(scope, headers) if self.rules.token else None

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        token = self.rules.token or ""
        if _equal_secrets(_cookie(headers), token):
            return None
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if _equal_secrets(dict(pairs).get("token", ""), token):
            query = urlencode([pair for pair in pairs if pair[0] != "token"])
            answer = RedirectResponse("/" + scope["path"].lstrip("/") + (f"?{query}" if query else ""), 303)
            answer.set_cookie(COOKIE, token, httponly=True, samesite="lax", path="/")
            return answer
        return PlainTextResponse("Open the address that `blade view` printed: it holds the access token.\n", 401)


def _equal_secrets(secret: str, expected: str) -> bool:
    return hmac.compare_digest(secret.encode(), expected.encode())


def _cookie(headers: Headers) -> str:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except CookieError:
        return ""
    return jar[COOKIE].value if COOKIE in jar else ""


def _name(host: str) -> str:
    """The name without its port: `[::1]:80` → `::1`."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
