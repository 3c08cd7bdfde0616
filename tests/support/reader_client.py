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


class ReaderGone(Exception):
    """The process has ended without an answer."""


class ReaderRefused(Exception):
    """The process answered with an error."""


class ReaderClient:
    def __init__(self, command: list[str], patience: float = 60.0) -> None:
        own, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen([*command, str(theirs.fileno())], pass_fds=[theirs.fileno()])
        self.socket = own
        self.socket.settimeout(patience)
        self.variables: dict[int, dict[str, Any]] = {}

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
            raise ReaderRefused(answer["error"])
        return answer, attached

    def open(self, path: Path | str) -> int:
        answer, header = self.ask({"do": "open", "file": str(path)})
        self.variables[answer["file"]] = {one["name"]: one for one in json.loads(header)["variables"]}
        return answer["file"]

    def read(self, file: int, name: str, start: list[int] | None = None, count: list[int] | None = None) -> np.ndarray:
        variable = self.variables[file][name]
        start = [0] * len(variable["shape"]) if start is None else start
        count = [n - s for n, s in zip(variable["shape"], start, strict=True)] if count is None else count
        _, values = self.ask({"do": "read", "file": file, "variable": name, "start": start, "count": count})
        return np.frombuffer(values, DELIVERED[variable["type"]]).reshape(count)

    def close(self, file: int) -> None:
        self.ask({"do": "close", "file": file})
