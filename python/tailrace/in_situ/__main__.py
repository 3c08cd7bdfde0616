"""python -m tailrace.in_situ --socket=FD --name=... : started by a server, see src/output/in_situ."""

import argparse
import signal
import sys
from pathlib import Path

from .supervisor import Supervisor
from .tally import Tally


def main() -> None:
    parser = argparse.ArgumentParser(prog="tailrace.in_situ")
    parser.add_argument("--socket", type=int, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--script", required=True)
    parser.add_argument("--function", required=True)
    parser.add_argument("--timeout", type=float, required=True)
    parser.add_argument("--start-within", type=float, required=True)  # "inf": no limit
    parser.add_argument("--memory", type=int, required=True)
    parser.add_argument("--report", default="")
    given = parser.parse_args()
    # The launcher may signal all processes of the job: what was handed over is finished all the same.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    tally = Tally(given.name, given.function, Path(given.report) if given.report else None)
    worker = [sys.executable, "-P", "-m", "tailrace.in_situ.worker", str(Path(given.script).resolve()), given.function]
    Supervisor(given.socket, worker, given.timeout, given.start_within, given.memory, tally).run()


main()
