"""Hostile connections to the ports of a stream: the run continues, its files are complete, and other readers can
reconnect to the stream."""

import base64
import contextlib
import random
import socket
import subprocess
import sys
import threading
import time

import pytest
from support.sst import (
    check_file,
    contact,
    counts,
    go_slowly_until,
    lines,
    listening,
    processes,
    reader,
    standing_still,
    start,
    wait_for_reader,
)

pytest.importorskip("adios2", reason="ADIOS2 is not installed")

MANY_READERS = """
import os, select, signal, sys, time
import adios2

ends, opened = os.pipe()

def come():
    io = adios2.Adios().declare_io("reader")
    io.set_engine("SST")
    try:
        stream = adios2.Stream(io, sys.argv[1], "r")
        os.write(opened, b".")
        time.sleep(100)
    finally:
        os._exit(0)

number, has_opened, end = 0, False, time.monotonic() + 90
while number < 10 or (not has_opened and time.monotonic() < end):
    readers = []
    for _ in range(10):
        readers.append(os.fork())
        if readers[-1] == 0:
            come()
    time.sleep(min(0.2 * number, 5.0))  # on a busy machine, or where the stream is begun anew, the first may take long
    has_opened = bool(select.select([ends], [], [], 0.0)[0])
    for reader in readers:
        os.kill(reader, signal.SIGKILL)
        os.waitpid(reader, 0)
    number += 1
os.write(opened, b"end")
print(len(os.read(ends, 100000)) - 3, 10 * number)
"""


def send(port: int, what: bytes) -> None:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as peer:
        peer.sendall(what)
        peer.settimeout(0.1)
        peer.recv(100)


def garbage(dice: random.Random) -> list[bytes]:
    """Some of it begins like a message of EVPath with a size that exceeds all memory, at which ADIOS2 2.12 crashes."""
    kinds = [b"CMP\0", b"\0PMC", b"CMD\0", b"\0DMC", b"CMH\0", b"\0AMC"]
    return [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        bytes(4096),
        b"\xff" * 64,
        dice.randbytes(70000),
        *(dice.randbytes(4) + kind + dice.randbytes(dice.randrange(100, 3000)) for kind in kinds),
    ]


def test_garbage_at_every_port(job):
    dice = random.Random(3)
    with start(job, pace=0.04) as running:
        running.wait_for("STEP 5\n")
        for what in garbage(dice):
            end = time.monotonic() + 1.0
            while not (ports := listening(running)) and time.monotonic() < end:
                time.sleep(0.02)
            for port in ports:
                send(port, what)
        with standing_still(running):
            last = reader(running)
            wait_for_reader(running)
        result = running.wait(120).finished()
        last.wait(30)
    check_file(running)
    told = counts(running)
    assert told["restarts"] > 0
    assert lines(last)
    assert 0 < result.output.count("it is begun anew") <= told["restarts"]
    assert len(result.output) < 10000


class Tamperer:
    """A proxy between a reader and the stream that changes the reader's messages, to simulate another version."""

    def __init__(self, running, port: int, change):
        self.to, self.change = port, change
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.passed = 0
        threading.Thread(target=self.accept, daemon=True).start()
        name, _, told = contact(running).read_text().rstrip("\n").rpartition(":")
        raw = base64.b64decode(told).replace(port.to_bytes(4, "little"), self.port.to_bytes(4, "little"))
        (running.folder / "tampered.sst").write_text(f"{name}:{base64.b64encode(raw).decode()}\n")

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                reader, _ = self.listener.accept()
                stream = socket.create_connection(("127.0.0.1", self.to))
                threading.Thread(target=self.pass_on, args=(reader, stream, self.change), daemon=True).start()
                threading.Thread(target=self.pass_on, args=(stream, reader, bytes), daemon=True).start()

    def pass_on(self, one: socket.socket, other: socket.socket, change) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                self.passed += len(data)
                other.sendall(change(data))
        other.close()


def flipped(dice: random.Random):
    def change(data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(1 + len(changed) // 100):
            changed[dice.randrange(len(changed))] ^= dice.randrange(1, 256)
        return bytes(changed)

    return change


def test_readers_that_speak_another_version(job):
    dice = random.Random(8)
    with start(job, pace=0.03) as running:
        told = base64.b64decode(contact(running).read_text().splitlines()[-1].partition(":")[2])
        ports = [port for port in listening(running) if port.to_bytes(4, "little") in told]
        assert len(ports) == 1
        between = Tamperer(running, ports[0], flipped(dice))
        with standing_still(running):
            others = [reader(running, name="tampered") for _ in range(3)]
            end = time.monotonic() + 20
            while between.passed == 0 and time.monotonic() < end:
                time.sleep(0.05)
        time.sleep(1.0)
        for process in others:
            process.kill()
            process.wait()
        running.wait(120).finished()
    assert between.passed > 0
    check_file(running)
    counts(running)


def test_a_hundred_readers_that_vanish(job):
    with start(job, pace=0.05) as running:
        running.wait_for("STEP 5\n")
        command = [sys.executable, "-c", MANY_READERS, str(running.folder / "out")]
        crowd = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        go_slowly_until(running, lambda: crowd.poll() is not None)
        opened, came = map(int, crowd.communicate()[0].split())
        assert crowd.returncode == 0 and running.alive()
        assert 0 < opened < came, "some readers open the stream, and others vanish before"
        running.wait(120).finished()
    check_file(running)
    counts(running)


def test_a_job_that_is_killed_leaves_nothing_of_its_stream(job):
    with start(job, pace=0.03) as running:
        contact(running)
        assert len(processes(running)) == 2
        running.kill()
    end = time.monotonic() + 10
    while processes(running) and time.monotonic() < end:
        time.sleep(0.05)
    assert not processes(running)
    assert not (running.folder / "out.sst").exists()
