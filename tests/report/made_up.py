"""A made-up report and status pages, in the form that a run writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

GIB = 1 << 30


def timings(count: int, seconds: float, median: float | None = None, most: float | None = None) -> dict[str, Any]:
    mean = seconds / count if count else 0.0
    median = mean if median is None else median
    return {
        "count": count,
        "seconds": seconds,
        "mean_seconds": mean,
        "median_seconds": median,
        "most_seconds": mean if most is None else most,
        "histogram": [[median, count]] if count else [],
    }


def field(name: str, count: int = 100, seconds: float = 0.05, stalled: float = 0.0, unwanted: int = 0, **more: Any):
    return {
        "component": "bubble",
        "name": name,
        "unwanted": unwanted,
        "bytes": count * 4096,
        "put": timings(count, seconds, most=0.01 if count else 0.0),
        "stall": timings(3 if stalled else 0, stalled),
        **more,
    }


def input_field(name: str, count: int = 50, seconds: float = 0.02, waited: float = 0.0):
    return field(
        name,
        count=0,
        seconds=0.0,
        get=timings(count, seconds, most=0.01),
        wait=timings(2 if waited else 0, waited),
        got_bytes=count * 8192,
    )


def client(rank: int, **more: Any) -> dict[str, Any]:
    return {
        "component": "bubble",
        "rank": rank,
        "host": "node1",
        "run_seconds": 10.0,
        "ready_seconds": 0.1,
        "finish_seconds": 0.2,
        "steps": 100,
        "model_time": 43.25,
        "step_seconds": 0.01,
        "puts": 200,
        "unwanted": 10,
        "put_seconds": 0.05,
        "stalls": 0,
        "stall_seconds": 0.0,
        "bytes": 200 * 4096,
        "buffer_capacity_bytes": 1 << 28,
        "buffer_high_water_bytes": 1 << 20,
        "spilled_packets": 0,
        "spilled_bytes": 0,
        "resident_high_water_bytes": 3 << 28,
        **more,
    }


def server(rank: int, busy: float = 2.0, **more: Any) -> dict[str, Any]:
    names = ("receive", "accumulate", "assemble", "encode", "write", "message")
    return {
        "rank": rank,
        "host": "node1",
        "threads": 2,
        "run_seconds": 10.0,
        "phases": {
            **{name: timings(50, busy / 6) for name in names},
            "analyse": timings(0, 0.0),
            "idle": timings(50, 10.0 - busy),
        },
        "bytes_in": 400 * 4096,
        "packets_in": 400,
        "raw_bytes_out": 2 * GIB,
        "encoded_bytes_out": GIB // 2,
        "messages_sent": 12,
        "message_bytes_sent": 1 << 16,
        "pending_high_water_bytes": 1 << 22,
        "held_high_water_bytes": {"messages": 0, "chunks": 1 << 20, "files": 3 << 20, "windows": 1 << 10},
        "commits": 3,
        "lag": timings(3, 0.06, most=0.03),
        "last_lag_seconds": 0.02,
        "lag_series": [[2.0, 0.01], [5.0, 0.03], [9.0, 0.02]],
        "resident_high_water_bytes": GIB,
        **more,
    }


def file(path: str, raw: int = 2 * GIB, encoded: int = GIB // 2, **more: Any) -> dict[str, Any]:
    return {
        "path": path,
        "servers": [0],
        "raw_bytes": raw,
        "encoded_bytes": encoded,
        "disk_bytes": encoded + 5000,
        "records": 30,
        "commits": 3,
        "write": timings(3, 0.3),
        "last_model_time": 900.0,
        **more,
    }


def report(**more: Any) -> dict[str, Any]:
    """Two ranks, two servers, nothing wrong; 0.5 % of the model's time in puts."""
    page = {
        "schema": "tailrace-report",
        "version": 1,
        "run": {
            "tailrace": "0.1.0",
            "configuration": "straka.yaml",
            "mode": "dedicated",
            "transport": "shm",
            "started": "2026-01-01T00:00:00Z",
            "finished": "2026-01-01T00:00:10Z",
            "seconds": 10.0,
            "outcome": "complete",
            "clients": 2,
            "servers": 2,
        },
        "totals": {
            "puts": 400,
            "unwanted": 20,
            "bytes_in": 400 * 4096,
            "put_seconds": 0.1,
            "most_put_seconds_of_a_client": 0.05,
            "stalls": 0,
            "stall_seconds": 0.0,
            "most_stall_seconds_of_a_client": 0.0,
            "client_run_seconds": 10.0,
            "raw_bytes_out": 4 * GIB,
            "encoded_bytes_out": GIB,
            "commits": 6,
            "mean_lag_seconds": 0.02,
            "most_lag_seconds": 0.03,
            "most_resident_bytes_of_a_server": GIB,
        },
        "fields": [field("w"), field("theta", seconds=0.08, unwanted=20)],
        "files": [file("profiles.nc"), file("maps.nc", encoded=2 * GIB)],
        "clients": [client(0), client(1)],
        "servers": [server(0), server(1)],
    }
    return {**page, **more}


def status(server: int = 0, **more: Any) -> dict[str, Any]:
    page = {
        "schema": "tailrace-status",
        "version": 1,
        "server": server,
        "servers": 2,
        "state": "running",
        "wall_time": "2026-01-01T00:00:05Z",
        "seconds": 5.0,
        "components": [{"name": "bubble", "step": 120 + server, "time": 43.25 + server, "steps_per_second": 12.34}],
        "bytes_in": 1000,
        "bytes_in_per_second": 100.0,
        "bytes_out": 3 << 20,
        "bytes_out_per_second": float(1 << 20),
        "lag_seconds": 0.02 * (server + 1),
        "buffer_used": 0.12 * (server + 1),
        "pending_bytes": 7,
        "files": [{"path": f"out/file{server}.nc", "commits": 2 + server, "model_time": 40.0 + server}],
    }
    return {**page, **more}


def write(page: dict[str, Any], path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(page), encoding="utf-8")
    return path
