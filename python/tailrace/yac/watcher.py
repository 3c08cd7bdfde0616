"""Says what its parent waits for, and ends it after a limit: python watcher.py WATCHDOG LIMIT (seconds; 0: never).

Each line of standard input begins a phase and has its name. The end of the input ends this process. It is a process,
because YAC does not let other threads of Python run while it waits. It imports nothing of Tailrace, and starts at once.
"""

import os
import select
import signal
import sys
import time


def say(level: str, message: str) -> None:
    print(f"tailrace: {level}: {message}", file=sys.stderr, flush=True)


def watch(watchdog: float, limit: float) -> None:
    phase, begin, warned, parent = "", time.monotonic(), False, os.getppid()
    while True:
        waited = time.monotonic() - begin
        times = ([] if warned or not watchdog else [watchdog]) + ([limit] if limit else [])
        timeout = max(0.0, min(times) - waited) if phase and times else None
        if select.select([sys.stdin], [], [], timeout)[0]:
            line = sys.stdin.readline()
            if not line or os.getppid() != parent:
                return
            phase, begin, warned = line.strip(), time.monotonic(), False
            continue
        waited = time.monotonic() - begin
        if limit and waited >= limit:
            say("error", f"{phase} for {waited:.0f} s. The run ends here (yac.wait_for)")
            os.kill(parent, signal.SIGTERM)
            return
        if watchdog and not warned and waited >= watchdog:
            say("warning", f"{phase} for {waited:.0f} s")
            warned = True


# Signals to the job are for the ranks: this process ends with its parent.
for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(ignored, signal.SIG_IGN)
watch(float(sys.argv[1]), float(sys.argv[2]))
