"""Reads a stream in a separate process, and stores each step in a file.

    python consumer.py SOURCE FOLDER START [SECONDS]

START: number of steps to skip, or `first`: the present step of the stream. SECONDS: the time that it takes for each
step. A step is stored as FOLDER/<number>.pickle, written under another name first, so that a kill leaves only complete
files. Neither MPI nor the compiled part of Tailrace can be imported.
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
