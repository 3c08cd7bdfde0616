"""Speaks the protocol of src/input/reader/reader_process.hpp with a process that reads."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

DELIVERED = {
    "byte": "i1",
    "ubyte": "u1",
    "short": "i2",
    "ushort": "i4",
    "int": "i4",
    "uint": "i8",
    "int64": "i8",
    "uint64": "f8",
    "float": "f4",
    "double": "f8",
    "char": "S1",
}


def named(header: bytes) -> dict[str, Any]:
    return {one["name"]: one for one in json.loads(header)["variables"]}


class ReaderGone(Exception):
    """The process has ended without an answer."""


class ReaderRefused(Exception):
    """The process answered with an error. `trouble`: the word of the protocol for its kind, or empty."""

    def __init__(self, text: str, trouble: str = "") -> None:
        super().__init__(text)
        self.trouble = trouble


class ReaderClient:
    def __init__(self, command: list[str], patience: float = 60.0) -> None:
        own, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen([*command, str(theirs.fileno())], pass_fds=[theirs.fileno()])
        self.socket = own
        self.socket.settimeout(patience)
        self.variables: dict[int, dict[str, Any]] = {}
        self.identity: dict[int, str] = {}
        self.more: dict[int, bool] = {}

    def __enter__(self) -> ReaderClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
        self.process.kill()
        self.process.wait()

    def ask(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        self.socket.send(json.dumps(request).encode())
        message, files, _, _ = socket.recv_fds(self.socket, 1 << 16, 1)
        if not message:
            raise ReaderGone(self.process.wait())
        attached = b""
        for file in files:
            attached = os.pread(file, os.fstat(file).st_size, 0)
            os.close(file)
        answer = json.loads(message)
        if "error" in answer:
            raise ReaderRefused(answer["error"], answer.get("trouble", ""))
        return answer, attached

    def open(self, path: Path | str, expected: str | None = None) -> int:
        request = {"do": "open", "file": str(path)} | ({} if expected is None else {"expected": expected})
        answer, header = self.ask(request)
        number = answer["file"]
        self.identity[number], self.more[number] = answer["identity"], answer.get("more", False)
        self.variables[number] = named(header)
        return number

    def extend(self, file: int, seconds: float = 60.0, needed: dict[str, int] | None = None) -> bool:
        """Whether further records may come."""
        answer, header = self.ask({"do": "extend", "file": file, "seconds": seconds, "from": needed or {}})
        self.variables[file] = named(header)
        return answer["more"]

    def read(self, file: int, name: str, start: list[int] | None = None, count: list[int] | None = None) -> np.ndarray:
        variable = self.variables[file][name]
        start = [0] * len(variable["shape"]) if start is None else start
        count = [n - s for n, s in zip(variable["shape"], start, strict=True)] if count is None else count
        _, values = self.ask({"do": "read", "file": file, "variable": name, "start": start, "count": count})
        return np.frombuffer(values, DELIVERED[variable["type"]]).reshape(count)

    def close(self, file: int) -> None:
        self.ask({"do": "close", "file": file})
