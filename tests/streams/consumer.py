"""Reads a stream in a process of its own, and keeps each step in a file.

    python consumer.py SOURCE FOLDER START [SECONDS]

START: how many steps to leave out, or `first`, where the stream is. SECONDS: how long it takes over each step. What it
has got is FOLDER/<number>.pickle, written under another name first, so that a kill leaves whole ones. Neither MPI nor
the compiled part of Tailrace can be had.
"""

import pickle
import sys
import time
from pathlib import Path

sys.modules["mpi4py"] = None
sys.modules["tailrace._core"] = None

import tailrace  # noqa: E402


def main() -> None:
    source, folder = sys.argv[1], Path(sys.argv[2])
    start = sys.argv[3] if sys.argv[3] == "first" else int(sys.argv[3])
    pause = float(sys.argv[4]) if len(sys.argv) > 4 else 0.0
    there = len(list(folder.glob("*.pickle"))) if start == "first" else start
    for number, step in enumerate(tailrace.stream(source, start=start, timeout=60.0), start=there):
        (folder / "new").write_bytes(pickle.dumps(step))
        (folder / "new").rename(folder / f"{number:04}.pickle")
        time.sleep(pause)
    print("END")


main()
