"""Turns requests of others away. On loopback, any process of the machine can connect, and any page in the user's
browser can try.

A request needs the token, which only the user's terminal shows; a Host of this machine, so that no name of another
site can stand for it (DNS rebinding); and no Origin but the page's own.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping, Set
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Callable, Send], Awaitable[None]]

HOSTS = ("127.0.0.1", "localhost", "[::1]", "::1")
MOST_TARGET = 4096  # bytes of a path with its query
MOST_REQUESTS = 64  # at the same time
MOST_CONNECTIONS = 128
PATIENCE = 10.0  # seconds that a connection may take to send its first request


def new_token() -> str:
    return secrets.token_urlsafe(24)


class Guard:
    """Turns away what is not the user's own page, before anything else sees it."""

    def __init__(self, app: App, token: str, open_paths: Set[str] = frozenset()):
        """`open_paths` need no token: the page itself, which knows nothing of the run."""
        self.app, self.token, self.open_paths = app, token, open_paths
        self.running = 0

    async def __call__(self, scope: Scope, receive: Callable, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await self.app(scope, receive, send)
            return
        complaint = self.complaint(scope)
        if complaint is None and self.running >= MOST_REQUESTS:
            complaint = (503, "too many requests at the same time")
        if complaint is not None:
            await refuse(send, *complaint)
            return
        self.running += 1
        try:
            await self.app(scope, receive, with_headers(send))
        finally:
            self.running -= 1

    def complaint(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the text of a refusal."""
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        hosts = headers.get("host", [])
        if len(hosts) != 1 or name_of(hosts[0]) not in HOSTS:
            return 421, "the Host is not this machine: open the page by 127.0.0.1 or localhost"
        for origin in headers.get("origin", []):
            if origin != f"http://{hosts[0]}":
                return 403, "the Origin is another page"
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "nothing can be changed here; expected GET"
        if len(scope.get("raw_path", b"")) + len(scope["query_string"]) > MOST_TARGET:
            return 414, "the request is too long"
        if scope["path"] not in self.open_paths and not self.has_token(headers):
            return 401, "the token is missing or wrong: open the address that `tailrace watch` printed"
        return None

    def has_token(self, headers: dict[str, list[str]]) -> bool:
        """A header, and no cookie: cookies do not tell ports apart, so that other servers of this machine get them."""
        for text in headers.get("authorization", []):
            kind, _, given = text.partition(" ")
            if kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self.token.encode()):
                return True
        return False


def name_of(host: str) -> str:
    """Without its port; "" of what is no host."""
    try:
        found = urlsplit(f"//{host}")
        _ = found.port  # raises where it is no number
        return found.hostname or "" if not found.username and found.path in ("", "/") else ""
    except ValueError:
        return ""


def with_headers(send: Send) -> Send:
    """Nothing from elsewhere is loaded, nothing is kept, and no other page shows this one in a frame."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    more = [
        (b"content-security-policy", policy.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cache-control", b"no-store"),
        (b"cross-origin-resource-policy", b"same-origin"),
    ]

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await send(message)

    return sending


async def refuse(send: Send, status: int, text: str) -> None:
    body = f"tailrace watch: {text}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def bounded(protocol: type) -> type:
    """uvicorn's protocol of one connection, for at most MOST_CONNECTIONS; one that sends no request is closed."""

    class Bounded(protocol):
        connections_here: set[Any] = set()  # noqa: RUF012 (shared on purpose)

        def connection_made(self, transport: asyncio.Transport) -> None:
            self.is_counted = len(self.connections_here) < MOST_CONNECTIONS
            if not self.is_counted:
                transport.abort()
                return
            self.connections_here.add(self)
            self.first_request = self.loop.call_later(PATIENCE, self._close_idle, transport)
            super().connection_made(transport)

        def _close_idle(self, transport: asyncio.Transport) -> None:
            if self.cycle is None:
                transport.abort()

        def data_received(self, data: bytes) -> None:
            if self.is_counted:
                super().data_received(data)

        def eof_received(self) -> None:
            if self.is_counted:
                super().eof_received()

        def connection_lost(self, error: Exception | None) -> None:
            if not self.is_counted:
                return
            self.first_request.cancel()
            self.connections_here.discard(self)
            super().connection_lost(error)

    return Bounded
