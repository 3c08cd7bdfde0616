"""Made-up status files and lines of commits.jsonl, as this Tailrace writes them."""

import json

import made_up

NOW = 1_800_000_000.0


def server(number=0, **more):
    """With what newer servers write."""
    more = {"memory_bytes": 1000, "memory_bounds_all": True, "resident_bytes": 4000, "host": f"node{number}"} | more
    more = {"phases": {"write": 2.0, "idle": 3.0}, "warnings": {"count": 0, "last": []}} | more
    return made_up.status(number, **more)


def commit(path, time, **more):
    return json.dumps({"path": path, "lengths": {"time": 1}, "model_time": time, "wall_time": "w", "server": 0} | more)
