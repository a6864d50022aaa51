"""Asks an application without a socket: the bytes of a target go in as they stand, which no real client would do."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.types import ASGIApp


@dataclass(frozen=True)
class Answer:
    status_code: int
    headers: Headers
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode()


@dataclass
class Client:
    app: ASGIApp
    host: str = "127.0.0.1"
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, target: str, headers: dict[str, str] | None = None) -> Answer:
        return self.request("GET", target, headers)

    def request(self, method: str, target: str, headers: dict[str, str] | None = None) -> Answer:
        all_headers = {"host": self.host, **(headers or {})}
        if self.cookies:
            all_headers.setdefault("cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        with ThreadPoolExecutor(1) as pool:  # a browser test in the same process keeps a loop running in this thread
            answer = pool.submit(asyncio.run, self._ask(method, target, all_headers)).result()
        cookie = answer.headers.get("set-cookie", "").partition(";")[0]
        if cookie:
            name, _, value = cookie.partition("=")
            self.cookies[name] = value
        return answer

    async def _ask(self, method: str, target: str, headers: dict[str, str]) -> Answer:
        path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "server": ("127.0.0.1", 80),
            "client": ("127.0.0.1", 1),
            "scheme": "http",
            "root_path": "",
        }
        messages: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            messages.append(message)

        await self.app(scope, receive, send)
        body = b"".join(message.get("body", b"") for message in messages[1:])
        return Answer(messages[0]["status"], Headers(raw=messages[0]["headers"]), body)
