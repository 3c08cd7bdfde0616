#!/usr/bin/env python3
"""Measures the share of its core that a server uses for many small diagnostics, and what they cost the model."""

import sys

from support import jobs
from support.results import Results, arguments

# The fields of MONC: single numbers, small blocks that are reduced to one number, and each rank's part of profiles.
SCALARS, PLANES, SHORT, LONG = 16, 14, 284, 5
FIELDS = SCALARS + PLANES + SHORT + LONG
RANKS = 4
PERIOD = 20  # steps, which are a second long each

HEAD = """
tailrace: 1
servers: {{mode: {mode}, count: 1, buffer: 16 MiB}}
fields:
  all: {{every: 1 step, names: [{names}]}}
diagnostics:
{diagnostics}
output:
  diagnostics.nc:
    write_every: 10000 s
    compression: none
    variables:
{variables}
"""


def expressions() -> dict[str, str]:
    """By field: how it is reduced."""
    made = {f"scalar_{i}": f"{['sum', 'min', 'max'][i % 3]}(scalar_{i}, rank)" for i in range(SCALARS)}
    made |= {f"plane_{i}": f"{['sum', 'min', 'max'][i % 3]}(plane_{i})" for i in range(PLANES)}
    made |= {f"short_{i}": f"sum(short_{i}, rank) / {{columns}}" for i in range(SHORT)}
    return made | {f"long_{i}": f"sum(long_{i}, rank) / {{columns}}" for i in range(LONG)}


def configuration(mode: str, averaged: float) -> str:
    """`averaged`: which part of the diagnostics are means over 20 s; the others are written as they are then."""
    diagnostics, variables = [], []
    for i, (field, text) in enumerate(expressions().items()):
        diagnostics.append(f'  d_{field}: {{is: "{text}"}}')
        mean = int((i + 1) * averaged) > int(i * averaged)
        how = "time: mean" if mean else "time: snapshot"
        variables.append(f"      - {{field: d_{field}, {how}, every: {PERIOD} s}}")
    names = ", ".join(expressions())
    return HEAD.format(mode=mode, names=names, diagnostics="\n".join(diagnostics), variables="\n".join(variables))


def one_run(
    mode: str, averaged: float, ranks: int, steps: int, microseconds: float, rounds: int = 0
) -> tuple[jobs.Done, dict]:
    with jobs.folder() as here:
        (here / "diagnostics.yaml").write_text(configuration(mode, averaged))
        words = [SCALARS, PLANES, SHORT, LONG, steps, microseconds] + [rounds] * (rounds > 0)
        servers = 0 if mode == "off" else 1
        command = [jobs.program("diagnostics"), "diagnostics.yaml", *words]
        done = jobs.run(command, ranks + servers, here, servers_apart=True)
        return done, done.report() if servers else {}


def server_cost(averaged: float, steps: int, microseconds: float, repeats: int) -> tuple[float, dict]:
    """Microseconds of the server's core for what a rank hands over in a step: the shortest of long runs less the
    shortest of short ones. (The least of their differences would be that whose short run was disturbed most.)"""
    used: dict[int, list[float]] = {PERIOD: [], steps + PERIOD: []}
    reports = []
    for _ in range(repeats):
        for length, seconds in used.items():
            done, report = one_run("dedicated", averaged, RANKS, length, microseconds)
            seconds.append(float(done.of("server")[0][0]))
        reports.append(report["servers"][0])
    cost = 1e6 * (min(used[steps + PERIOD]) - min(used[PERIOD])) / (steps * RANKS)
    return cost, {"seconds": used, "servers": reports}


def longer(steps: int, microseconds: float, pairs: int) -> tuple[float, float, dict]:
    """Per cent that the time loop and the whole run take longer with all diagnostics averaged than with mode off, of a
    model that does the same work in all runs. Runs take turns; of each step the shortest of all runs counts, as what
    others do on the machine only ever makes it longer; of the whole run the shortest."""
    first, _ = one_run("off", 1.0, 1, 1, microseconds)
    rounds = int(first.of("model")[0][2])
    loops: dict[str, list[float]] = {}
    wholes: dict[str, float] = {}
    for pair in range(pairs):
        for mode in ("dedicated", "off") if pair % 2 else ("off", "dedicated"):
            done, _ = one_run(mode, 1.0, 1, steps, microseconds, rounds)
            times = [float(word) for word in done.of("steps")[0]]
            loops[mode] = [min(both) for both in zip(loops.get(mode, times), times, strict=True)]
            wholes[mode] = min(wholes.get(mode, float("inf")), float(done.of("model")[0][1]))
    loop = 100 * (sum(loops["dedicated"]) / sum(loops["off"]) - 1)
    details = {mode: {"steps_seconds": 1e-9 * sum(loops[mode]), "whole_seconds": wholes[mode]} for mode in loops}
    return loop, 100 * (wholes["dedicated"] / wholes["off"] - 1), details


def main() -> None:
    asked = arguments(__doc__, steps=4000, repeats=5, pairs=6)
    results = Results("diagnostics")
    values = SCALARS + 4 * PLANES + 5 * SHORT + 33 * LONG
    note = f"{FIELDS} fields and diagnostics, {8 * values / 1000:.1f} KB a rank and step, {RANKS} ranks"
    cases = [
        ("half averaged, half as they are, steps in a row", 0.5, asked.steps, 0.0, None),
        ("all averaged, steps in a row", 1.0, asked.steps, 0.0, 50.0),
        ("half averaged, half as they are, 3 ms a step", 0.5, asked.steps // 16, 3000.0, None),
    ]
    details = {}
    for what, averaged, steps, microseconds, target in cases:
        cost, details[what] = server_cost(averaged, steps, microseconds, asked.repeats)
        results.add(f"server, {what}", cost, "us a message", target, note)
        note = ""
    loop, whole, times = longer(asked.steps // 8, 3000.0, asked.pairs)
    results.add("model of 3 ms a step, all averaged: time loop", loop, "% longer", 3.0)
    results.add("the same and its end", whole, "% longer")
    results.details = {"server": details, "model": times}
    results.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
