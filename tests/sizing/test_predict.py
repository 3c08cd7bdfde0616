"""Predictions against sums by hand."""

import math
from dataclasses import replace

import made_up_runs as made
import pytest
from tailrace.sizing.choices import batch_lines, cheapest, layouts
from tailrace.sizing.commands import _warnings
from tailrace.sizing.costs import fit
from tailrace.sizing.errors import SizingError
from tailrace.sizing.predict import WAKING, Layout, predict, work_of
from tailrace.sizing.shares import shares_of

P = made.PRICES
MACHINE = made.machine()


def costs(ratio: float = 1.0):
    return fit([made.report(ratio=ratio)], MACHINE, "bubble")


def predicted(ranks=4, servers=1, nodes=1, steps=100, machine=MACHINE, ratio=1.0, step=None, **changes):
    prices = fit([made.report(ratio=ratio)], machine, "bubble", step)
    return predict(made.workload(ranks=ranks, **changes), prices, machine, Layout(ranks, servers, nodes, None), steps)


def test_a_server_that_keeps_up():
    one = predicted(step=0.1)
    size, packets = 100 * made.MIB, 100 * 8 + 4  # each rank ends, too
    writing = 100 * P["commit"] + P["write"] * size
    processor = (
        P["receive"] * packets + (P["accumulate"] + P["assemble"]) * size + 0.5 * (100 * 0.004 + P["write"] * size)
    )
    model = 100 * 0.1 + P["put"] * size / 4
    assert one.server_seconds == pytest.approx(max(processor, writing), rel=1e-6)
    assert one.margin == pytest.approx(1 - max(processor, writing) / model, rel=1e-6)
    assert one.limit == "model" and one.keeps_up and one.stall_seconds == 0.0
    lag = WAKING + (P["receive"] * packets + (P["accumulate"] + P["assemble"]) * size) / 100 + writing / 100
    assert one.lag_seconds == pytest.approx(lag, rel=1e-6)
    assert one.seconds == pytest.approx(made.READY + model + lag, rel=1e-6)


def test_a_longer_run_is_longer_by_its_steps():
    short, long = predicted(step=0.1), predicted(step=0.1, steps=1000)
    assert long.loop_seconds == pytest.approx(10 * short.loop_seconds)
    assert long.margin == pytest.approx(short.margin)


def test_a_server_that_falls_behind_lets_the_model_wait_after_its_buffers_are_full():
    size, put = 8 * made.MIB, 100 * 8 * made.MIB
    loop = 100 * 1e-4 + P["put"] * put / 4
    busy = predicted(step=1e-4, size=size, memory=64 * made.MIB)
    writing = predicted(step=1e-4, size=size, memory=64 * made.MIB, machine=made.machine(file_system=50.0 * made.MIB))
    assert (busy.limit, writing.limit) == ("servers", "disk")
    for one, more in ((busy, 0), (writing, 16 * made.MIB)):  # commits wait in a quarter of the memory
        absorbed = one.server_seconds * (16 * size + more) / put
        assert not one.keeps_up
        assert one.stall_seconds == pytest.approx(one.server_seconds - loop - absorbed, rel=1e-6)
        assert one.finish_seconds == pytest.approx(absorbed, rel=1e-6)
        assert one.seconds == pytest.approx(made.READY + one.server_seconds, rel=1e-6)


def test_a_warning_says_where_the_model_would_wait():
    behind = replace(predicted(), margin=-0.1, stall_seconds=5.0, finish_seconds=3.0)
    (told,) = _warnings(behind, costs())
    assert "1 server cannot keep up with 4 ranks" in told and "the model would wait 5 s. Expected" in told
    (told,) = _warnings(replace(behind, stall_seconds=0.0, layout=Layout(1, 1, 1, None)), costs())
    assert "with 1 rank on" in told and "would wait" not in told
    assert "the buffers have room for the rest, which takes 3 s after the last step. Expected" in told


def test_more_servers_share_what_is_compressed_but_not_the_file_of_one_home():
    raw = [work_of(made.workload(), costs(), MACHINE, servers, 1.0) for servers in (1, 4)]
    assert raw[1].parts["assemble"] == pytest.approx(raw[0].parts["assemble"])
    assert raw[1].parts["accumulate"] == pytest.approx(raw[0].parts["accumulate"] / 4)
    assert raw[1].writing == raw[0].writing
    small = [work_of(made.workload(codec="zlib"), costs(2.0), MACHINE, servers, 1.0) for servers in (1, 4)]
    assert small[1].parts["encode"] == pytest.approx(small[0].parts["encode"] / 4)
    assert small[0].parts["encode"] == pytest.approx(P["encode"] * 100 * made.MIB)
    assert small[0].parts["message"] == 0.0 < small[1].parts["message"]


def test_files_are_dealt_to_homes_which_write_four_at_a_time():
    def writing(files, servers):
        return work_of(made.workload(files=files), costs(), MACHINE, servers, 1.0).writing

    assert writing(1, 2) == pytest.approx(writing(8, 2)), "four on each, side by side"
    assert writing(9, 2) == pytest.approx(2 * writing(8, 2))
    assert writing(8, 1) == pytest.approx(2 * writing(4, 1))


def test_the_error_of_what_is_written_knows_whether_compression_was_tried():
    machine, load = made.machine(file_system=1e5), made.workload(codec="zlib")
    layout = Layout(4, 1, 1, None)
    tried, untried = (fit([made.report(ratio=ratio)], machine, "bubble", 0.1) for ratio in (2.0, 1.0))
    assert (
        predict(load, untried, machine, layout, 100).error > 0.3 > predict(load, tried, machine, layout, 100).error > 0
    )


def test_a_slow_commit_waits_and_works_not():
    slow = made.report()
    for file in slow["files"]:
        file["write"]["seconds"] += 0.5 * file["commits"]
    late = fit([slow], MACHINE, "bubble")
    work = work_of(made.workload(), late, MACHINE, 1, 1.0)
    assert work.writing == pytest.approx(100 * (P["commit"] + 0.5) + P["write"] * 100 * made.MIB, rel=1e-3)
    assert work.worked == pytest.approx(0.5 * (100 * 0.004 + P["write"] * 100 * made.MIB), rel=1e-3)


def test_clients_are_whole_ranks():
    load = made.workload(ranks=4)
    each = shares_of(load, costs(), MACHINE, 3, load.kinds[0]).parts["accumulate"]
    assert list(each / (P["accumulate"] * made.MIB / 4)) == pytest.approx([2, 1, 1]), "two ranks on one of three"


def test_what_servers_send_is_also_received():
    load = made.workload(ranks=4, codec="zlib", size=6 * made.MIB)
    one = shares_of(load, fit([made.report(ratio=2.0)], MACHINE, "bubble"), MACHINE, 4, load.kinds[0])
    sent = one.parts["message"] * MACHINE.memcpy / 2  # two copies a byte, as no report has messages
    pieces, chunks = 6 * made.MIB * 3 / 4, 3 * made.MIB * 3 / 4
    assert sent.sum() == pytest.approx(2 * (pieces + chunks), rel=1e-3)
    assert one.writes[0].received == pytest.approx(chunks, rel=1e-3)
    plain = made.workload(ranks=4)
    raw = shares_of(plain, costs(), MACHINE, 4, plain.kinds[0]).parts["message"] * MACHINE.memcpy / 2
    assert list(raw / made.MIB) == pytest.approx([3 / 4, 1 / 4, 1 / 4, 1 / 4]), (
        "the home takes the blocks of the others"
    )


def test_a_crowded_node_shares_its_cores():
    roomy = predicted(ranks=15, step=0.05)
    crowded = predicted(ranks=64, step=0.05)
    assert roomy.limit == "model"
    assert crowded.limit == "cores"
    work = work_of(made.workload(ranks=64), costs(), MACHINE, 1, 1.0)
    alone = 100 * 0.05 + P["put"] * 100 * made.MIB / 64
    assert crowded.loop_seconds == pytest.approx((64 * alone + work.processor) / 16)


def test_a_disk_below_its_cache_costs_nothing_and_beyond_it_all():
    small = made.machine(memory=10.0 * made.MIB, disk=made.Disk(2.0**30, 1e6, 0.004, 0.5))
    slow = predicted(machine=small)
    assert slow.limit == "disk"
    assert slow.server_seconds == pytest.approx((100 * made.MIB - 0.2 * 10 * made.MIB) / 1e6)
    shared = predicted(machine=made.machine(file_system=1e5))
    assert shared.server_seconds == pytest.approx(100 * made.MIB / 1e5)


def test_a_run_that_writes_nothing():
    empty = made.page()
    empty |= {"files": [], "fields": [], "kinds": [empty["kinds"][1]], "runs": [[0, 101]]}
    one = predict(made.from_page(empty), costs(), MACHINE, Layout(4, 1, 1, None), 100)
    assert one.keeps_up and one.stall_seconds == 0.0 and math.isfinite(one.seconds)


def test_layouts_on_one_node_and_on_as_many_as_are_needed():
    assert [one.servers for one in layouts(4, 16, 1, None, 3)] == [1, 2, 3]
    many = layouts(100, 16, 1, None, 2)
    assert [(one.servers, one.nodes, one.per_node) for one in many] == [
        (1, 7, None),
        (2, 7, None),
        (4, 7, None),
        (7, 7, 1),
        (16, 8, 2),
    ]
    assert all(one.ranks_on_node + one.servers_on_node <= 16 for one in many)
    assert [(one.servers, one.per_node) for one in layouts(8, 4, 1, 2, 2)] == [(1, None), (2, 1), (4, 2)]
    assert layouts(16, 16, 16, None, 8) == [Layout(16, 1, 2, None)], "a server that takes a whole node"


@pytest.mark.parametrize(
    ("arguments", "piece"),
    [
        ((100, 16, 20, None, 8), "has 16 cores by the machine's file, and a server takes 20"),
        ((4, 16, 20, None, 8), "has 16 cores by the machine's file, and a server takes 20"),
        ((100, 16, 20, 8, 8), "has 16 cores by the machine's file, and a server takes 20"),
        ((2, 16, 1, 3, 8), "--nodes 3: with 2 ranks; expected"),
        ((1, 16, 1, 3, 8), "--nodes 3: with 1 rank; expected"),
    ],
)
def test_layouts_that_cannot_be(arguments, piece):
    with pytest.raises(SizingError, match=piece):
        layouts(*arguments)


def test_the_cheapest_in_time():
    def of(servers, seconds, node_hours):
        one = predicted(servers=servers)
        object.__setattr__(one, "seconds", seconds)
        object.__setattr__(one, "node_hours", node_hours)
        return one

    all_of_them = [of(1, 100.0, 1.0), of(2, 50.0, 0.99), of(3, 40.0, 2.0), of(4, 39.0, 2.0)]
    assert cheapest(all_of_them, None).best is all_of_them[0], "2 % is no difference"
    assert cheapest(all_of_them, 60.0).best is all_of_them[1]
    assert cheapest(all_of_them, 45.0).best is all_of_them[2]
    late = cheapest(all_of_them, 10.0)
    assert late.best is None and "the fastest, with 4 servers, takes 39 s" in late.reason


def test_lines_for_the_batch_script():
    one = predicted(ranks=30, servers=4, nodes=2)
    lines, section = batch_lines(one, "run.yaml", 1)
    assert lines == ["#SBATCH --nodes=2 --ntasks=34 --ntasks-per-node=17", "tailrace run -n 34 run.yaml -- ./model"]
    assert section == "servers: {mode: dedicated, count: 4}"
    assert "tailrace run -n 34 'a run.yaml' -- ./model" in batch_lines(one, "a run.yaml", 1)[0]
    prices = costs()
    tight = made.page(ranks=30)
    tight["memory"][3] |= {"suffices": False, "option_bytes": 3 * 2**30}
    two = predict(made.from_page(tight), prices, MACHINE, Layout(30, 4, 2, 2), 100)
    assert batch_lines(two, "run.yaml", 3)[1] == "servers: {mode: dedicated, per_node: 2, threads: 3, memory: 3072 MiB}"
