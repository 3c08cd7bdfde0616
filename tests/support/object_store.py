"""An S3 server for a test (moto, on a free port) and, in front of it, a proxy that does what a test wants of it:
answers 503 or 403, is slow, or cuts connections."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import xarray as xr

BUCKET = "climate"
KEY_ID, SECRET, REGION = "AKIDEXAMPLE", "wJalrXUtnFEMI+secret", "eu-test-1"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Moto:
    """The server, as a process of its own, with one bucket."""

    def __init__(self, log: Path):
        self.port = free_port()
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        with log.open("w") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        self.url = f"http://127.0.0.1:{self.port}"
        end = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/moto-api/", timeout=5).close()
                break
            except OSError:
                assert self.process.poll() is None and time.monotonic() < end, log.read_text()
                time.sleep(0.05)
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/{BUCKET}", method="PUT"), timeout=30).close()

    def put(self, key: str, body: bytes) -> None:
        self.ask("PUT", key, body)

    def get(self, key: str) -> bytes:
        return self.ask("GET", key)

    def ask(self, method: str, key: str, body: bytes | None = None) -> bytes:
        # moto looks for a signature, and takes any.
        headers = {
            "Content-Type": "application/octet-stream",
            "Authorization": f"AWS4-HMAC-SHA256 Credential={KEY_ID}/20260101/{REGION}/s3/aws4_request",
        }
        url = f"{self.url}/{BUCKET}/{urllib.request.quote(key)}"
        request = urllib.request.Request(url, data=body, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()

    def has(self, key: str) -> bool:
        try:
            self.ask("HEAD", key)
        except urllib.error.HTTPError as error:
            assert error.code == 404
            return False
        return True

    def keys(self, prefix: str = "") -> list[str]:
        """As obstore lists them."""
        listed = self.store().list(prefix=prefix or None).collect()
        return sorted(one["path"] for one in listed)

    def store(self, prefix: str | None = None):
        from obstore.store import S3Store

        return S3Store(
            BUCKET,
            prefix=prefix,
            endpoint=self.url,
            region=REGION,
            access_key_id=KEY_ID,
            secret_access_key=SECRET,
            client_options={"allow_http": True},
        )

    def group(self, name: str, **options):
        import zarr
        from zarr.storage import ObjectStore

        return zarr.open_group(ObjectStore(self.store(name), read_only=True), mode="r", **options)

    def read(self, name: str, **options) -> xr.Dataset:
        """The whole store in memory, in the form in which support.reading.read returns a NetCDF file."""
        from zarr.storage import ObjectStore

        options = {"decode_times": False, "mask_and_scale": False} | options
        store = ObjectStore(self.store(name), read_only=True)
        with xr.open_dataset(store, engine="zarr", chunks=None, consolidated=True, **options) as data:
            return data.load()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@dataclass
class Seen:
    """A request that came to the proxy."""

    method: str
    path: str  # with the query
    headers: dict[str, str]
    status: int = 0  # that was sent back


@dataclass
class Fault:
    """An act of the proxy instead of passing the request on, or after it (`passes`)."""

    status: int = 0  # answers so
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    resets: bool = False  # cuts the connection
    passes: bool = False  # after the server has done what was asked
    waits: float = 0.0  # seconds before anything
    hides: str = ""  # a header of the server's answer


# Returns what happens to the n-th request (from 0); None: it is passed on.
Rule = Callable[[int, Seen], Fault | None]


class Proxy:
    def __init__(self, target: Moto, rule: Rule = lambda number, seen: None):
        self.rule = rule
        self.seen: list[Seen] = []
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                request = Seen(self.command, self.path, {k.lower(): v for k, v in self.headers.items()})
                with proxy.changed:
                    number = len(proxy.seen)
                    proxy.seen.append(request)
                    proxy.changed.notify_all()
                fault = proxy.rule(number, request)
                if fault is not None and fault.waits:
                    time.sleep(fault.waits)
                if fault is None or fault.passes or not (fault.status or fault.resets):
                    status, headers, answer = pass_on(target.port, self.command, self.path, self.headers, body)
                if fault is not None and fault.resets:
                    self.cut()
                    return
                if fault is not None and fault.status:
                    status, headers, answer = fault.status, fault.headers, fault.body
                request.status = status
                self.send_response_only(status)
                hidden = ("content-length", "transfer-encoding", "connection", fault.hides.lower() if fault else "")
                for name, value in headers.items():
                    if name.lower() not in hidden:
                        self.send_header(name, value)
                is_head = self.command == "HEAD"
                size = headers.get("Content-Length", "0") if is_head else str(len(answer))
                self.send_header("Content-Length", size)
                self.end_headers()
                if not is_head:
                    self.wfile.write(answer)

            def cut(self) -> None:
                """The peer gets a reset, not an orderly end."""
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                self.close_connection = True
                self.connection.close()

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_one

            def log_message(self, *_) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_) -> None:
                """A client that was killed is no news."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait_for(self, condition: Callable[[list[Seen]], bool], timeout: float = 60.0) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: condition(self.seen), timeout), [one.path for one in self.seen]

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def pass_on(port: int, method: str, path: str, headers, body: bytes) -> tuple[int, dict[str, str], bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def error_body(code: str, message: str) -> bytes:
    return f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{message}</Message></Error>".encode()


def environment(url: str, **more: str) -> dict[str, str]:
    """The variables of a job, without those that the person who runs the tests has set."""
    own = {name: "" for name in os.environ if name.startswith("AWS_")}
    return own | {
        "AWS_ENDPOINT_URL": url,
        "AWS_REGION": REGION,
        "AWS_ACCESS_KEY_ID": KEY_ID,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
        **more,
    }


def metadata(moto: Moto, name: str) -> dict:
    return json.loads(moto.get(f"{name}/zarr.json"))
