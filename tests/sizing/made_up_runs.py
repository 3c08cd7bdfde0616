"""Made-up machines, workloads and reports of which each price is known."""

from __future__ import annotations

from typing import Any

from tailrace.sizing.machine import Codec, Disk, Machine
from tailrace.sizing.workload import Workload, from_page

MIB = 1 << 20
PRICES = {
    "receive": 2e-6,
    "accumulate": 3e-9,
    "assemble": 4e-9,
    "encode": 8e-9,
    "commit": 0.01,
    "write": 2e-9,
    "put": 1e-9,
}
STEP = 0.02  # seconds of a step for one rank, which ranks share
READY = 0.5


def machine(**changes: Any) -> Machine:
    made = {
        "cores": 16,
        "memory": 64 * 2.0**30,
        "memcpy": 8 * 2.0**30,
        "disk": Disk(2.0**30, 2.0**29, 0.004, 0.5),
        "codecs": {"zlib": Codec(100.0 * MIB, 2.0)},
    }
    return Machine(**{**made, **changes})


def page(
    ranks: int = 4,
    steps: int = 100,
    codec: str = "none",
    size: int = MIB,
    servers: tuple[int, ...] = (1, 2, 3, 4),
    files: int = 1,
    memory: int = 1 << 30,
    **changes: Any,
) -> dict[str, Any]:
    """Each of `files` fields is put, recorded and committed at each step."""
    variable = {"name": "u", "bytes": size, "accumulated_bytes": 0, "level": 1, "is_rounded": False, "codec": codec}
    variable |= {"is_spread": codec != "none", "is_regridded": False}
    every = range(files)
    return {
        "component": "bubble",
        "ranks": ranks,
        "steps": steps,
        "step_seconds": 0.5,
        "is_dedicated": True,
        "count": 1,
        "per_node": 0,
        "per_domain": 0,
        "threads": 0,
        "memory_bytes": memory,
        "buffer_bytes": 16 * size // ranks,
        "is_fed": False,
        "writers": 4,
        "checkpoint_bytes": 0,
        "memory": [{"servers": s, "held_bytes": size, "suffices": True, "option_bytes": 2 * size} for s in servers],
        "fields": [{"name": f"u{f}", "bytes": size, "senders": ranks} for f in every],
        "files": [{"path": f"{f}.nc", "by_many": False, "gathers": False, "variables": [variable]} for f in every],
        "kinds": [
            {
                "puts": list(every),
                "records": [[f, 0] for f in every],
                "commits": [{"file": f, "records": [[0, 1]]} for f in every],
                "checkpoint": False,
            },
            {"puts": [], "records": [], "commits": [], "checkpoint": False},
        ],
        "runs": [[0, steps], [1, 1]],
        **changes,
    }


def workload(**changes: Any) -> Workload:
    return from_page(page(**changes))


def timings(seconds: float, count: int = 1) -> dict[str, Any]:
    return {"count": count, "seconds": seconds}


def report(ranks: int = 1, steps: int = 50, ratio: float = 1.0, size: int = MIB, slower: float = 1.0) -> dict[str, Any]:
    """The report of a run by exactly the prices: two files with records of different sizes."""
    raw = steps * size
    packets = steps * ranks * 2
    small = [("0.nc", raw, steps), ("1.nc", raw // 64, steps)]
    all_raw = sum(one[1] for one in small)
    phases = {
        "receive": timings(PRICES["receive"] * packets),
        "accumulate": timings(PRICES["accumulate"] * raw),
        "analyse": timings(0.0),
        "assemble": timings(PRICES["assemble"] * all_raw),
        "encode": timings(PRICES["encode"] * all_raw if ratio > 1 else 0.0),
        "write": timings(0.0),
        "message": timings(0.0),
        "idle": timings(1.0),
    }
    put = PRICES["put"] * raw / ranks
    return {
        "run": {"mode": "dedicated", "outcome": "complete", "seconds": 3.0},
        "clients": [
            {
                "component": "bubble",
                "rank": rank,
                "host": "node0",
                "steps": steps,
                "model_time": 0.5 * steps,
                "run_seconds": slower * STEP * steps / ranks + put + 0.25 + 0.001,
                "ready_seconds": READY,
                "put_seconds": put + 0.25,
                "stall_seconds": 0.25,
                "step_seconds": 0.001,
            }
            for rank in range(ranks)
        ],
        "servers": [
            {
                "host": "node0",
                "phases": phases,
                "bytes_in": raw,
                "packets_in": packets,
                "raw_bytes_out": all_raw,
                "message_bytes_sent": 0,
            }
        ],
        "files": [
            {
                "path": path,
                "raw_bytes": bytes_,
                "encoded_bytes": int(bytes_ / ratio),
                "commits": commits,
                "write": timings(PRICES["commit"] * commits + PRICES["write"] * int(bytes_ / ratio)),
            }
            for path, bytes_, commits in small
        ],
    }
