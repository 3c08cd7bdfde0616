"""The memory of servers, as in the report, stays within `servers.memory`, even with a slow disk."""

import json

import pytest
from support.harness import block_grid, field, inline, model, servers
from support.reading import read

SHAPE = (3, 140, 170)  # 571,200 bytes a record
MEMORY = 8 << 20
STEPS = 60


def config(files: int, access: str = "auto") -> dict:
    variables = [{"field": "u", "every": "1 step"}]
    return {
        "fields": {"state": {"names": ["u"]}},
        "output": {
            f"out{i}.nc": {"write_every": "1 step", "access": access, "variables": variables} for i in range(files)
        },
    }


def scenario(steps: int = STEPS, **more) -> dict:
    grid = block_grid(shape=SHAPE, coordinates=[])
    times = [float(step) for step in range(1, steps + 1)]
    return {"grids": [grid], "fields": [field("u", "les")], "times": times, "exchange_values": 0} | more


def held(result) -> list[dict]:
    return json.loads(result.path("tailrace_report/report.json").read_text())["servers"]


@pytest.mark.parametrize("transport", ["shm", "mpi"])
@pytest.mark.parametrize(("ranks", "count"), [(2, 1), (2, 2), (3, 2), (1, 3)])
def test_a_slow_disk_delays_the_model(job, transport, ranks, count):
    serving = servers(count, memory=f"{MEMORY >> 20} MiB", buffer="2 MiB", transport=transport)
    delays = {"TAILRACE_FILE_DELAY": "10000", "TAILRACE_RANDOM_DELAYS": f"{ranks}{count}:300"}
    result = job(model(ranks, **scenario()), serving, config=config(2), environment=delays, timeout=120).finished()
    for server in held(result):
        # One step and one message more: a step is accepted as a whole.
        assert server["pending_high_water_bytes"] <= MEMORY + 3 * 571200, server
    assert max(server["held_high_water_bytes"]["files"] for server in held(result)) > 571200
    assert read(result.path("out0.nc"))["u"].shape == (STEPS, *SHAPE)


def test_two_components_share_the_memory(job):
    own = [config(1), config(1)]
    own[1]["output"] = {"other.nc": own[1]["output"]["out0.nc"]}
    models = [model(2, component=name, config=file, **scenario()) for name, file in zip("ab", own, strict=True)]
    delays = {"TAILRACE_FILE_DELAY": "10000"}
    serving = servers(2, memory=f"{MEMORY >> 20} MiB", buffer="2 MiB")
    result = job(*models, serving, config=config(1), environment=delays, timeout=120).finished()
    for server in held(result):
        assert server["pending_high_water_bytes"] <= MEMORY + 3 * 571200, server


@pytest.mark.parametrize("count", [1, 2])
def test_chunks_of_a_series_have_as_many_records_as_there_is_room_for(job, count):
    shape = (5, 330, 470)  # 6.2 MB per record; plans assume at least 64 MiB, of which 8 are for open chunks
    grid = block_grid(shape=shape, coordinates=[])
    steps = {"grids": [grid], "fields": [field("u", "les")], "times": [1.0, 2.0, 3.0]}
    serving = servers(count, memory="64 MiB")
    result = job(model(2, **steps), serving, config=config(1, "series")).finished()
    variable = read(result.path("out0.nc"))["u"]
    assert variable.shape == (3, *shape)
    assert held(result)[0]["held_high_water_bytes"]["chunks"] <= 64 << 20


def test_inline_fails_with_the_figures_instead_of_growing(job):
    """The first rank writes the file, and makes no call for a while."""
    uneven = scenario(200) | {"fault": {"kind": "sleep", "rank": 0, "step": 1}}
    result = job(model(2, **uneven), inline(memory=f"{MEMORY >> 20} MiB"), config=config(1), timeout=60)
    assert result.status != 0
    assert "MiB of rank 1 wait for ranks that are behind" in result.output, result.output
    assert "expected at most 8 MiB (servers.memory" in result.output


# Nearly 12 MB per record: three means, and what their file gets at one step, need some 70 MiB.
WIDE = (3, 690, 710)
WIDE_RECORD = 3 * 690 * 710 * 8


def means(job, servers_, **more):
    variables = [{"field": "u", "name": f"u{i}", "time": "mean", "every": f"{i} s"} for i in (2, 3, 4)]
    config = {"fields": {"state": {"names": ["u"]}}, "output": {"out.nc": {"variables": variables}}}
    grid = block_grid(shape=WIDE, coordinates=[])
    scenario_ = {"grids": [grid], "fields": [field("u", "les")], "times": [1.0, 2.0, 3.0, 4.0]} | more
    return job(model(2, **scenario_), servers_, config=config)


def test_a_plan_that_must_hold_more_than_the_memory_is_refused_with_the_figures(job):
    pieces = (
        'component "model": server 0 must hold 69.29 MiB at a time, 33.64 MiB of it for means',
        '("u2" of out.nc: 11.21 MiB)',
        "memory is 64 MiB; expected `servers: {memory: 80 MiB}` or more, or more servers",
    )
    result = means(job, servers(1, memory="64 MiB")).failed_with(*pieces)
    assert not result.path("out.nc").exists()


@pytest.mark.parametrize("serving", [servers(1, memory="80 MiB"), servers(2, memory="64 MiB"), servers(1)])
def test_it_runs_with_the_memory_that_was_asked_for_or_more_servers_and_without_a_bound(job, serving):
    result = means(job, serving).finished()
    assert read(result.path("out.nc"))["u2"].shape == (2, *WIDE)
    if memory := serving.options.get("memory"):
        for server in held(result):
            # As above: a step is accepted as a whole, with what other servers sent before they knew of the limit.
            assert server["pending_high_water_bytes"] <= (int(memory.split()[0]) << 20) + 3 * WIDE_RECORD, server
