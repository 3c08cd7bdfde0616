"""Answers the requests of one server, one after the other."""

from __future__ import annotations

import json
import mmap
import os
import select
import socket
import threading
from typing import Any

import numpy as np

from .identity import check_identity, identity_of
from .opening import Opener, Source
from .refusal import Refusal

MOST_BYTES = 1 << 16  # of a message
MOST_OF_A_TEXT = 2000


class Server:
    def __init__(self, descriptor: int, opener: Opener) -> None:
        self.socket = socket.socket(fileno=descriptor)
        self.opener = opener
        self.files: dict[int, tuple[str, str, Source]] = {}  # name, identity, contents
        self.opened = 0
        threading.Thread(target=self._watch, daemon=True).start()

    def run(self) -> None:
        while message := self.socket.recv(MOST_BYTES):
            request = json.loads(message)
            try:
                self.handle(request)
            except Refusal as refusal:
                self.refuse(str(refusal), refusal.trouble)
            except FileNotFoundError as error:
                self.refuse(self.opener.told(error), "absent" if request["do"] == "open" else "changed")
            except (Exception, SystemExit) as error:  # of a function of the user, or of any backend of xarray
                self.refuse(self.opener.told(error))

    def handle(self, request: dict[str, Any]) -> None:
        match request["do"]:
            case "open":
                self.open(request["file"], request.get("expected", ""))
            case "read":
                self.read(request)
            case "extend":
                _, _, source = self.find(request)
                source.extend(request["seconds"], request["from"])
                self.answer({"more": source.more}, self.header(source))
            case "close":
                self.find(request)[2].close()
                del self.files[request["file"]]
                self.answer({})
            case other:
                raise Refusal(f"there is no request {other!r}")

    def open(self, file: str, expected: str) -> None:
        check_identity(file, expected)
        identity = identity_of(file)
        source = self.opener.open(file)
        if source.more:
            identity = ""  # it grows, so it changes
        check_identity(file, identity)
        self.opened += 1
        self.files[self.opened] = (file, identity, source)
        self.answer({"file": self.opened, "identity": identity, "more": source.more}, self.header(source))

    def read(self, request: dict[str, Any]) -> None:
        """An answer of a backend about a file that changes below it counts only if the file is the same afterwards."""
        file, identity, source = self.find(request)
        name = request["variable"]
        if name not in source.variables:
            raise Refusal(f"there is no variable {name!r}")
        check_identity(file, identity)
        try:
            values = source.variables[name].read(request["start"], request["count"])
        except Refusal as refusal:
            raise Refusal(f"{name}: {refusal}", refusal.trouble) from refusal
        except Exception:
            check_identity(file, identity)
            raise
        check_identity(file, identity)
        self.answer({"bytes": values.nbytes}, values.reshape(-1).view(np.uint8))

    def find(self, request: dict[str, Any]) -> tuple[str, str, Source]:
        if request["file"] not in self.files:
            raise Refusal("no file of this number is open")
        return self.files[request["file"]]

    @staticmethod
    def header(source: Source) -> np.ndarray:
        variables = [one.header(name) for name, one in source.variables.items()]
        return np.frombuffer(json.dumps({"variables": variables}).encode(), np.uint8)

    def refuse(self, text: str, trouble: str = "") -> None:
        self.answer({"error": text[:MOST_OF_A_TEXT], "trouble": trouble})

    def answer(self, message: dict[str, Any], attached: np.ndarray | None = None) -> None:
        text = json.dumps(message).encode()
        if attached is None:
            self.socket.send(text)
            return
        memory = os.memfd_create("tailrace input", os.MFD_CLOEXEC)
        try:
            if attached.nbytes > 0:
                os.posix_fallocate(memory, 0, attached.nbytes)  # a lack of memory is an answer and not a signal
                with mmap.mmap(memory, attached.nbytes) as mapped:
                    np.frombuffer(mapped, np.uint8)[:] = attached
            socket.send_fds(self.socket, [text], [memory])
        finally:
            os.close(memory)

    def _watch(self) -> None:
        """Ends the process when its server is gone, also while a function of the user blocks."""
        poll = select.poll()
        poll.register(self.socket.fileno(), 0)
        poll.poll()
        os._exit(0)
