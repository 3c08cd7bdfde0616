#!/usr/bin/env python3
"""What checkpoints cost a model, and how fast they come to the disk: dedicated servers beside mode inline, beside
pwrite and fsync of the same bytes into the same folder, and beside a memcpy of them. The contenders take turns."""

import os
import sys
import time
from pathlib import Path
from statistics import median

from support import jobs
from support.results import Results, arguments

CONFIGURATION = """
tailrace: 1
servers: {{mode: {mode}{servers}, memory: {memory} MiB, buffer: {buffer} MiB}}
checkpoint: {{every: {every} steps, keep: 1, fields: ["f*"]}}
fields: {{all: {{every: 1 step, names: [{names}]}}}}
output: {{}}
"""
MIB = 1 << 20
RANKS, FIELDS = 2, 8
STEPS, EVERY = 15, 5
BESIDES = 64  # MiB of a server that are not bounded: code, libraries, what the allocator keeps


def raw(here: Path, bytes_of_all: int) -> float:
    """Seconds: one file, as a program would write it that does nothing else."""
    block = memoryview(os.urandom(MIB))
    begin = time.monotonic()
    file = os.open(here / "raw", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for at in range(0, bytes_of_all, len(block)):
        os.pwrite(file, block[: min(len(block), bytes_of_all - at)], at)
    os.fsync(file)
    os.close(file)
    seconds = time.monotonic() - begin
    (here / "raw").unlink()
    return seconds


def run(here: Path, mode: str, servers: int, size: int, pause: int, memory: int, every: int = EVERY) -> jobs.Done:
    """`size`: bytes of a checkpoint."""
    per_rank = size // RANKS
    text = CONFIGURATION.format(
        mode=mode,
        servers=f", count: {servers}" * (mode == "dedicated"),
        memory=memory,
        buffer=(per_rank >> 20) + 8,
        every=every,
        names=", ".join(f"f{i}" for i in range(FIELDS)),
    )
    (here / "checkpoint.yaml").write_text(text)
    command = [jobs.program("checkpointer"), "checkpoint.yaml", per_rank // FIELDS, FIELDS, STEPS, pause]
    return jobs.run(command, RANKS + servers, here, pinned=False)


def numbers(done: jobs.Done, word: str) -> list[float]:
    return [float(line[0]) for line in done.of(word)]


def main() -> None:
    asked = arguments(__doc__, megabytes=1024, rounds=5, pause=0, servers=1)
    size = asked.megabytes * MIB
    results = Results("checkpoint")
    hidden, rates, copies, paid_each, durable, resident = [], [], [], [], [], []
    memory = 2 * asked.megabytes // asked.servers + 256
    for _ in range(asked.rounds):
        os.sync()
        with jobs.folder() as here:
            alone = raw(here, size)
        # So long that a checkpoint is on the disk before the next is due, whatever the disk is like.
        pause = asked.pause or int(2500 * alone / EVERY) + 50
        os.sync()
        with jobs.folder() as here:
            done = run(here, "dedicated", asked.servers, size, pause, memory)
            report = done.report()
            leader = next(server for server in report["servers"] if server["checkpoints"])
        os.sync()
        with jobs.folder() as here:
            inline = run(here, "inline", 0, size, pause, memory)
        copy = sum(numbers(done, "copied"))
        write = sum(numbers(inline, "loop")) - sum(numbers(inline, "copied"))
        hidden.append(1 - (sum(numbers(done, "loop")) - copy) / write)
        copies.append(median(p / c for p, c in zip(numbers(done, "paid"), numbers(done, "copied"), strict=True)))
        paid_each.append(median(numbers(done, "paid")) / 1e6)
        seconds = leader["checkpoint"]["seconds"] / leader["checkpoints"]
        durable.append(seconds)
        rates.append(seconds / alone)
        resident.append(max(server["resident_high_water_bytes"] for server in report["servers"]) / MIB)
    speed = median(asked.megabytes / seconds for seconds in durable)
    note = f"{asked.megabytes} MiB durable after {median(durable):.2f} s, {speed:.0f} MiB/s"
    results.add("time to durable, dedicated", median(rates), "pwrites and fsyncs", 1 / 0.9, note)
    results.add("write time that is not hidden", 1 - median(hidden), "of that of mode inline", 0.05)
    note = f"{median(paid_each):.1f} ms of the model for each"
    results.add("puts and checkpoint", median(copies), "memcpys", 1.15, note)
    bound = memory + BESIDES
    results.add("memory of a server", max(resident), "MiB", bound, f"memory: {memory} MiB, {asked.servers} servers")
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
