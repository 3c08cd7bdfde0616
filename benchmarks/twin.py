#!/usr/bin/env python3
"""Replays three runs that others have published, and one declared run at 1,000 to 100,000 ranks, in the twin of
`tailrace plan --twin`. Nothing is measured but how long the twin takes.

The publications give counts and shares of time; what they do not give is assumed here, and said. Prices are those of
the histories of the benchmarks, of cores of 2024, not of the machines of the publications."""

import time
from dataclasses import dataclass

from support.results import Results, arguments
from tailrace.sizing.costs import Costs, Model, Price
from tailrace.sizing.machine import Codec, Disk, Machine, Network
from tailrace.sizing.predict import Layout, predict
from tailrace.sizing.twin.replay import Replayed, replay
from tailrace.sizing.workload import Workload, from_page

GB = 1e9
MIB = 1 << 20


def price(value: float) -> Price:
    return Price(value, 0.2, "assumed")


def costs(step: float, accumulate: float = 0.1e-9, write: float = 1.0 / GB) -> Costs:
    """`step`: seconds of a step of the model. Receive and put are those of history/put.md, message two copies."""
    return Costs(
        receive=price(0.5e-6),
        accumulate=price(accumulate),
        assemble=price(0.2e-9),
        message=price(0.4e-9),
        commit=price(3e-3),
        write=price(write),
        put=price(0.15e-9),
        encode=None,
        ratios={},
        ratio=None,
        model=Model(step, 0.0, 0.05, (), is_given=True),
        ready=0.0,
        notes=(),
    )


def machine(cores: int, file_system: float) -> Machine:
    return Machine(
        cores=cores,
        memory=64 * GB,
        memcpy=8 * GB,
        disk=Disk(GB, GB, 3e-3, 0.5),
        codecs={"zlib": Codec(1e8, 1.5)},
        network=Network(5 * GB, 2e-6),
        file_system=file_system,
    )


def workload(
    ranks: int, servers: int, steps: int, every: int, fields: list[float], records: list[float], **more
) -> Workload:
    """`fields`: bytes of each, put at each `every`-th step; `records`: bytes of each variable, of one file, committed
    then. All are compressed by no codec; large ones are spread over a store that all servers write."""
    variables = [
        {
            "name": f"v{n}",
            "bytes": int(size),
            "accumulated_bytes": 0,
            "is_spread": size >= 64 << 10 and more.get("by_many", False),
            "is_regridded": False,
            "codec": "none",
            "level": 1,
            "is_rounded": False,
        }
        for n, size in enumerate(records)
    ]
    none = {"puts": [], "records": [], "commits": [], "checkpoint": False}
    output = {
        "puts": list(range(len(fields))),
        "records": [[0, n] for n in range(len(records))],
        "commits": [{"file": 0, "records": [[n, 1] for n in range(len(records))]}],
        "checkpoint": False,
    }
    sampled = none | {"puts": output["puts"]} if more.get("samples") else none
    return from_page(
        {
            "component": "model",
            "ranks": ranks,
            "steps": steps,
            "step_seconds": 1.0,
            "is_dedicated": True,
            "count": servers,
            "per_node": 0,
            "per_domain": 0,
            "threads": 1,
            "memory_bytes": 1 << 30,
            "buffer_bytes": min(256 * MIB, max(MIB, int(16 * sum(fields) / ranks))),
            "is_fed": False,
            "writers": 4,
            "checkpoint_bytes": 0,
            "memory": [
                {"servers": servers, "held_bytes": int(sum(records)), "suffices": True, "option_bytes": 1 << 30}
            ],
            "fields": [{"name": f"f{n}", "bytes": int(size), "senders": ranks} for n, size in enumerate(fields)],
            "files": [{"path": "out", "by_many": more.get("by_many", False), "gathers": False, "variables": variables}],
            "kinds": [sampled, output, none],
            "runs": [run for _ in range(steps // every) for run in ([0, every - 1], [1, 1])] + [[2, 1]],
        }
    )


@dataclass(frozen=True)
class Case:
    name: str
    twin: Replayed
    alone: float  # seconds of the steps without output
    wall: float  # seconds that the twin itself took


def run(name: str, load: Workload, prices: Costs, where: Machine, servers: int, nodes: int) -> Case:
    begin = time.monotonic()
    layout = Layout(load.ranks, servers, nodes, None)
    twin = replay(load, prices, where, layout, load.steps)
    formula = predict(load, prices, where, layout, load.steps)
    case = Case(name, twin, load.steps * prices.model.step(load.ranks), time.monotonic() - begin)
    more = 100 * (twin.seconds / case.alone - 1)
    print(
        f"{name}: {twin.seconds:.1f} s with output, {case.alone:.1f} s without ({more:.2f} % more); "
        f"stall {twin.stall_seconds:.2f} s, lag {twin.lag_seconds:.3f} s (formulas {formula.seconds:.1f} s); "
        f"{twin.events} events in {case.wall:.1f} s",
        flush=True,
    )
    return case


def monc() -> Case:
    """32,768 ranks, a server for each ten, 232 diagnostics. Assumed: a rank sends 13.5 KB at each step of 0.5 s, and
    232 profiles of 150 levels are written each 20 steps. A message costs a server 45 us (history/diagnostics.md)."""
    sent = 13_500.0 * 32_768
    load = workload(32_768, 3_277, 60, 20, [sent], [150 * 8.0] * 232, samples=True)
    return run("MONC", load, costs(0.5, accumulate=45e-6 / 13_500), machine(24, 20 * GB), 3_277, 1_502)


def navgem(ranks: int, servers: int, sync_share: float = 0.45, writes_a_second: float = 0.4) -> tuple[Case, float]:
    """Restart files of 9.2 GB, which take 45 % of a run when the model writes them itself. Assumed: it does so at
    0.4 GB/s; ten files a run, steps of which there are 20 between two files."""
    file = 9.2 * GB
    write = file / (writes_a_second * GB)
    step = write * (1.0 / sync_share - 1.0) / 20
    load = workload(ranks, servers, 200, 20, [file], [file / 40] * 40)
    case = run(
        f"NAVGEM, {ranks} ranks, {servers} servers",
        load,
        costs(step, write=1.0 / (writes_a_second * GB)),
        machine(32, 20 * GB),
        servers,
        -(-(ranks + servers) // 32),
    )
    return case, 100 * (1.0 - case.twin.seconds / (case.alone + 10 * write))


def wrf(servers: int) -> tuple[Case, float]:
    """288 ranks on 8 nodes. Assumed: history files of 8 GB, which PnetCDF writes at 0.1 GB/s, each 120 steps of 1 s;
    five files."""
    load = workload(288, servers, 600, 120, [8 * GB], [8 * GB / 200] * 200, by_many=True)
    case = run(f"WRF, {servers} servers", load, costs(1.0, write=1.0 / GB), machine(40, 2 * GB), servers, 8)
    waited = case.twin.stall_seconds / 5 + 0.15e-9 * 8 * GB / 288
    return case, 1e3 * waited


def main() -> None:
    asked = arguments(__doc__)
    results = Results("twin")
    case = monc()
    results.add(
        "MONC: longer by its output", 100 * (case.twin.seconds / case.alone - 1), "%", None, "published: minimal"
    )
    for ranks, servers in ((6_600, 40), (8_600, 40)):
        _, saved = navgem(ranks, servers)
        results.add(f"NAVGEM, {ranks} ranks: shorter", saved, "%", None, "published: 35 to 43 %")
    for servers in (8, 16):
        case, waited = wrf(servers)
        note = "published: by ADIOS2 over ten times less than by PnetCDF, here 80 s"
        results.add(f"WRF, {servers} servers: the model waits for a file", waited, "ms", None, note)
        more = 100 * (case.twin.seconds / case.alone - 1)
        results.add(f"WRF, {servers} servers: longer by its output", more, "%")
    for ranks in (1_000, 10_000, 100_000):
        servers = ranks // 50
        load = workload(ranks, servers, 60, 10, [ranks * 2.0 * MIB] * 4, [ranks * 2.0 * MIB] * 4, by_many=True)
        nodes = -(-(ranks + servers) // 128)
        case = run(f"{ranks} ranks", load, costs(1.0), machine(128, 500 * GB), servers, nodes)
        results.add(f"{ranks} ranks, {servers} servers", case.wall, "s of the twin")
    results.finish(asked.json)


if __name__ == "__main__":
    main()
