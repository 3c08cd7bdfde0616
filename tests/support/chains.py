"""A run in pieces: each ends at some moment in some way, and the next continues with other ranks and transports."""

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support.harness import MPI, Running, Servers, attached, inline, servers
from support.reading import differences, every_bit

RANK_VARIABLE = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}[MPI]
ENDS = ("step", "terminate", "kill all", "kill one server")
LONG = bool(os.environ.get("TAILRACE_TEST_FAULTS"))


def count(few: int, many: int, name: str) -> int:
    """A number of repetitions: few in CI, many with --faults, or that of the environment variable `name`."""
    return int(os.environ.get(name, many if LONG else few))


@dataclass
class Piece:
    """The argument of the chain's `start`. `steps`: the last step of the run, for an end of kind `step`."""

    ranks: int
    serving: Servers
    steps: int | None = None

    def describe(self) -> str:
        return f"{self.ranks} ranks, {self.serving.mode}, {self.serving.ranks} servers, {self.serving.options}"


def any_piece(chance: random.Random) -> Piece:
    ranks = chance.randrange(1, 9)
    mode = chance.choice(["dedicated", "dedicated", "dedicated", "attached", "inline"])
    if mode == "dedicated":
        return Piece(ranks, servers(chance.randrange(1, 4), transport=chance.choice(["shm", "mpi"]), signals="all"))
    return Piece(ranks, attached(signals="all") if mode == "attached" else inline(signals="all"))


def ranks_of(folder: Path, program: str) -> dict[int, int]:
    """rank -> pid of the processes of a job that run their program."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "comm").read_text().strip() != program or (process / "cwd").readlink() != folder:
                continue
            variables = (process / "environ").read_bytes().split(b"\0")
            rank = next((v.split(b"=")[1] for v in variables if v.startswith(RANK_VARIABLE.encode() + b"=")), None)
            if rank is not None:
                found[int(rank)] = int(process.name)
    return found


def send(pids, number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def end_it(running: Running, program: str, piece: Piece, how: str, chance: random.Random) -> None:
    """Returns when all processes are gone."""
    pids = ranks_of(running.folder, program)
    if how == "kill one server" and pids:
        serving = [pid for rank, pid in pids.items() if rank >= piece.ranks or not piece.serving.ranks]
        send([chance.choice(serving)] if serving else [], signal.SIGKILL)
        with contextlib.suppress(AssertionError):
            running.wait(20.0)
    elif how == "terminate":
        send(pids.values(), signal.SIGTERM)
        running.wait(60.0)
    send(ranks_of(running.folder, program).values(), signal.SIGKILL)
    running.kill()
    while ranks_of(running.folder, program):
        time.sleep(0.01)


def newest_step(folder: Path) -> int:
    """The newest checkpoint; 0 if there is none."""
    return max((int(path.name.removeprefix("step_")) for path in folder.glob("restart/*/step_*")), default=0)


def run_in_pieces(
    folder: Path, start: Callable[[Piece], Running], program: str, seed: int, stops: int, steps: int, seconds: float
) -> list[str]:
    """Stops the run `stops` times, at random moments of its first `seconds` or at one of its `steps`, and then lets it
    complete. If it completes earlier, it is not restarted. Returns a description of the pieces."""
    chance = random.Random(seed)
    told = []
    for _ in range(stops):
        piece, how = any_piece(chance), chance.choice(ENDS)
        if how == "step":
            first = newest_step(folder) + 1
            piece.steps = chance.randrange(first, max(steps, first + 1))
        moment = chance.uniform(0.0, seconds)
        told.append(f"{piece.describe()}: {how} {piece.steps if how == 'step' else f'{moment:.2f} s'}")
        with start(piece) as running:
            end = time.monotonic() + (120.0 if how == "step" else moment)
            while running.alive() and time.monotonic() < end:
                time.sleep(0.005)
            if not running.alive():
                result = running.wait()
                assert result.status == 0, "\n".join([*told, result.output[-6000:]])
            else:
                assert how != "step", "\n".join([*told, "hung", running.log.read_text(errors="replace")[-6000:]])
                end_it(running, program, piece, how, chance)
    piece = any_piece(chance)
    told.append(f"{piece.describe()}: to the end")
    with start(piece) as running:
        result = running.wait(180.0)
    assert result.status == 0, "\n".join([*told, result.output[-6000:]])
    return told


def files_of(folder: Path) -> dict:
    return {path.name: every_bit(path) for path in sorted(folder.glob("*.nc"))}


def assert_same(folder: Path, whole: dict, told: list[str]) -> None:
    files = files_of(folder)
    assert files.keys() == whole.keys(), "\n".join(told)
    for name, content in files.items():
        assert differences(content, whole[name]) == [], "\n".join([name, *told])
