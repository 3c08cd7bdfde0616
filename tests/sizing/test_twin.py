"""The twin against sums by hand: where events do not hinder each other, and where one resource bounds all."""

import time

import made_up_runs as made
import pytest
from tailrace.sizing.costs import fit
from tailrace.sizing.predict import Layout, predict
from tailrace.sizing.shares import shares_of
from tailrace.sizing.twin.events import Channel, Events, Line, Node
from tailrace.sizing.twin.replay import Run, replay

P = made.PRICES


def ends_of(cores, tasks):
    events, ends = Events(), {}
    node = Node(events, cores)
    for name, (begin, seconds, width) in tasks.items():
        events.at(
            begin,
            lambda name=name, seconds=seconds, width=width: node.work(
                seconds, width, lambda: ends.__setitem__(name, events.now)
            ),
        )
    events.run()
    return ends


def test_tasks_have_a_core_each_or_share():
    assert ends_of(2, {"a": (0.0, 3.0, 1), "b": (1.0, 1.0, 1)}) == {"b": 2.0, "a": 3.0}
    # From 1 to 3 two tasks share a core: each gets 1 s of work.
    assert ends_of(1, {"a": (0.0, 3.0, 1), "b": (1.0, 1.0, 1)}) == {"b": 3.0, "a": 4.0}
    # A task of 3 processes and one of 1 on 2 cores: half a core each.
    assert ends_of(2, {"a": (0.0, 1.0, 3), "b": (0.0, 2.0, 1)}) == {"a": 2.0, "b": 3.0}
    assert ends_of(2, {"a": (0.5, 0.0, 1)}) == {"a": 0.5}


def test_work_is_never_lost_among_many_tasks():
    tasks = {n: (0.1 * (n % 7), 0.3 + 0.01 * n, 1 + n % 3) for n in range(40)}
    ends = ends_of(3, tasks)
    assert max(ends.values()) == pytest.approx(
        sum(seconds * width for _, seconds, width in tasks.values()) / 3, rel=0.05
    )


def test_lines_and_channels_serve_in_turn():
    events, ends = Events(), []
    channel, line = Channel(events), Line()
    for n in range(3):
        channel.take(1.0, lambda n=n: ends.append((n, events.now)))
        line.take(lambda done, n=n: events.after(2.0, lambda: (ends.append((10 + n, events.now)), done())))
    events.run()
    assert sorted(ends) == [(0, 1.0), (1, 2.0), (2, 3.0), (10, 2.0), (11, 4.0), (12, 6.0)]


def runs(ranks=4, servers=1, nodes=1, steps=100, machine=None, step=None, **changes):
    machine = machine or made.machine()
    costs = fit([made.report()], machine, "bubble", step)
    load = made.workload(ranks=ranks, steps=steps, servers=(servers,), **changes)
    layout = Layout(ranks, servers, nodes, None)
    return (
        replay(load, costs, machine, layout, steps),
        predict(load, costs, machine, layout, steps),
        (load, costs, machine),
    )


def test_a_model_that_is_not_hindered_takes_its_steps_and_the_last_lag():
    twin, formula, (load, costs, machine) = runs(step=0.1)
    model = 100 * 0.1 + P["put"] * 100 * made.MIB / 4
    last = shares_of(load, costs, machine, 1, load.kinds[0])
    lag = 0.01 + float(last.work[0]) + last.writes[0].seconds
    assert twin.seconds == pytest.approx(made.READY + model + lag, rel=1e-3)
    assert twin.lag_seconds == pytest.approx(lag, rel=1e-3)
    assert twin.stall_seconds == 0.0
    assert formula.seconds == pytest.approx(twin.seconds, rel=1e-3)


def test_a_server_that_falls_behind_bounds_the_run_as_in_the_formulas():
    twin, formula, _ = runs(step=1e-4, size=8 * made.MIB, memory=64 * made.MIB, steps=200)
    assert formula.limit in ("servers", "disk")
    assert twin.seconds == pytest.approx(formula.seconds, rel=0.05)
    assert twin.stall_seconds == pytest.approx(formula.stall_seconds, rel=0.15)
    assert twin.most_pending <= 16 * 8 * made.MIB


def test_a_crowded_node_shares_its_cores_as_in_the_formulas():
    twin, formula, _ = runs(ranks=64, step=0.05, servers=2)
    assert formula.limit == "cores"
    assert twin.seconds == pytest.approx(formula.seconds, rel=0.05)


def test_a_burst_beyond_the_buffers_stalls_although_the_average_is_slow():
    burst = made.page(steps=100, size=64 * made.MIB, buffer_bytes=4 * made.MIB, memory=64 * made.MIB)
    quiet = {"puts": [], "records": [], "commits": [], "checkpoint": False}
    burst |= {"kinds": [burst["kinds"][0], quiet], "runs": [[0, 3], [1, 97], [1, 1]]}
    machine = made.machine()
    costs = fit([made.report()], machine, "bubble", 0.05)
    load = made.from_page(burst)
    layout = Layout(4, 1, 1, None)
    twin, formula = replay(load, costs, machine, layout, 100), predict(load, costs, machine, layout, 100)
    assert formula.margin > 0.5 and formula.stall_seconds == 0.0
    assert twin.stall_seconds > 0.1


@pytest.mark.parametrize("ranks", [3, 7, 11])
def test_all_steps_are_written_whatever_the_shares_of_servers(ranks):
    load = made.page(ranks=ranks, steps=30, size=made.MIB + 1, files=3, buffer_bytes=1000, servers=(3,))
    machine = made.machine()
    costs = fit([made.report()], machine, "bubble", 1e-3)
    run = Run(made.from_page(load), costs, machine, Layout(ranks, 3, 1, None), 30)
    run.play()
    assert len(run.lags) == 30 * 3
    assert all(server.pending < 1.0 and not server.waiting for server in run.servers)


def test_a_common_file_system_is_shared_by_all_homes():
    machine = made.machine(file_system=50.0 * made.MIB)
    twin, _, _ = runs(machine=machine, servers=4, files=4, step=1e-3)
    assert twin.seconds >= 400 * made.MIB / (50 * made.MIB)
    assert twin.seconds == pytest.approx(made.READY + 8.0, rel=0.05)


def test_a_run_that_is_replayed_in_part_goes_on_at_its_pace(monkeypatch):
    from tailrace.sizing.twin import replay as module

    whole, _, _ = runs(step=0.01, steps=400)
    monkeypatch.setattr(module, "MOST_EVENTS", 300)
    part, _, _ = runs(step=0.01, steps=400)
    assert part.steps == 100
    assert part.seconds == pytest.approx(whole.seconds, rel=0.01)


def test_a_hundred_thousand_ranks_take_seconds():
    begin = time.monotonic()
    many = dict(ranks=100_000, servers=1000, nodes=800, steps=20)
    twin, _, _ = runs(**many, machine=made.machine(cores=128), codec="zlib", step=0.1)
    assert twin.steps == 20 and twin.events > 40_000
    assert time.monotonic() - begin < 60.0
