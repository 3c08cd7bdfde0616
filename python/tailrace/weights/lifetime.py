"""The end of a process that makes weights: no later than that of the process that started it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def end_with_parent(parent: int) -> None:
    """From now on SIGKILL comes when the thread that started this process ends, however it ends. A server that is
    killed cannot end its makers, and these would go on for minutes. `parent`: the number of that process, which is 1
    for the first one of a container. Does nothing on systems other than Linux."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1 and parent != 1:  # it has ended already
        os.kill(os.getpid(), signal.SIGKILL)
