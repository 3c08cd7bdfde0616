"""The part of this machine that a job may use."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# A batch system decides itself where ranks go and how many a node takes.
BATCH = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "COBALT_JOBID", "PJM_JOBID", "FLUX_JOB_ID")


@dataclass(frozen=True)
class Machine:
    cores: tuple[int, ...]  # a hardware thread of each physical core that we may use, ascending
    is_root: bool = False
    batch: bool = False


def this_machine() -> Machine:
    allowed = sorted(os.sched_getaffinity(0))
    return Machine(
        cores=tuple(physical_cores(allowed)),
        is_root=os.geteuid() == 0,
        batch=any(name in os.environ for name in BATCH),
    )


def physical_cores(threads: Sequence[int], system: Path = Path("/sys/devices/system/cpu")) -> list[int]:
    """The first allowed hardware thread of each core."""
    cores: dict[str, int] = {}
    for thread in threads:
        try:
            siblings = (system / f"cpu{thread}" / "topology" / "thread_siblings_list").read_text().strip()
        except OSError:
            siblings = str(thread)
        cores.setdefault(siblings, thread)
    return sorted(cores.values())
