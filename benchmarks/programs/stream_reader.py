"""Reads a stream, and prints `got NUMBER BYTES WHEN` for each step: WHEN in seconds of the monotonic clock."""

import sys
import time

import tailrace

for step in tailrace.stream(sys.argv[1], fields=["q"], timeout=60.0):
    assert float(step.q[0, 0]) == float(step.q[0, -1]) == step.encoding["step"] + 1
    print("got", step.encoding["step"], step.q.nbytes, time.monotonic(), flush=True)
print("missed", step.encoding["missed"])
