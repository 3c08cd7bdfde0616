#!/usr/bin/env python3
"""Measures the share of its core that a server uses while its model sleeps between steps."""

import sys

from support import jobs
from support.results import Results, arguments

CONFIGURATION = """
tailrace: 1
servers: {{mode: dedicated, count: {servers}, buffer: 16 MiB, transport: {transport}}}
fields:
  all: {{every: 1 step, names: [idle]}}
output:
  nowhere:
    format: 'null'
    variables: [{{field: idle, time: mean, every: 1 step}}]
"""

CASES = [("shm", 1), ("mpi", 1), ("shm", 2), ("mpi", 2)]


def main() -> None:
    asked = arguments(__doc__, seconds=10.0, steps=2)
    results = Results("idle")
    for transport, servers in CASES:
        with jobs.folder() as here:
            (here / "idle.yaml").write_text(CONFIGURATION.format(servers=servers, transport=transport))
            done = jobs.run([jobs.program("sleeper"), "idle.yaml", asked.seconds, asked.steps], 1 + servers, here)
        shares = [100 * float(share) for _, share in done.of("server")]
        if len(shares) != servers * asked.steps:
            raise SystemExit(f"sleeper spoke of {len(shares)} servers and steps, not of {servers * asked.steps}")
        several = "s" * (servers > 1)
        results.add(f"{servers} server{several}, transport {transport}", max(shares), "% of a core", 2.0)
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
