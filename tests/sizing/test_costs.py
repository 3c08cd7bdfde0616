"""Prices are found in reports that were made by them, and their errors tell how many reports agree."""

import made_up_runs as made
import pytest
from tailrace.sizing.costs import FROM_MACHINE, LEAST_ERROR, SINGLE, fit, step_seconds
from tailrace.sizing.damage import lacking
from tailrace.sizing.errors import SizingError
from tailrace.sizing.workload import Variable

ZLIB = Variable("u", made.MIB, 0, True, "zlib", 1, False)


@pytest.mark.parametrize("name", ["receive", "accumulate", "assemble", "commit", "write", "put"])
def test_a_price_is_found(name):
    costs = fit([made.report()], made.machine(), "bubble")
    price = getattr(costs, name)
    assert price.value == pytest.approx(made.PRICES[name], rel=1e-6)


def test_stalls_are_no_part_of_a_put_and_puts_none_of_the_model():
    costs = fit([made.report(ranks=4)], made.machine(), "bubble")
    assert costs.model.step(4) == pytest.approx(made.STEP / 4)
    assert costs.model.step(16) == pytest.approx(made.STEP / 16), "one number of ranks: perfect scaling"
    assert any("scale perfectly" in note for note in costs.notes)


def test_two_numbers_of_ranks_show_what_does_not_scale():
    one, eight = made.report(ranks=1), made.report(ranks=8)
    for client in (*one["clients"], *eight["clients"]):
        client["run_seconds"] += 0.003 * client["steps"]
    costs = fit([one, eight], made.machine(), "bubble")
    assert costs.model.fixed == pytest.approx(0.003, rel=1e-6)
    assert costs.model.step(4) == pytest.approx(0.003 + made.STEP / 4, rel=1e-6)
    assert not any("scale" in note for note in costs.notes)


def test_a_model_that_gets_slower_with_ranks_has_no_negative_part():
    model = fit([made.report(ranks=1), made.report(ranks=8, slower=16.0)], made.machine(), "bubble").model
    assert model.fixed >= 0.0 and model.shared >= 0.0 and model.step(8) > 0.0


def test_errors_are_the_spread_of_reports():
    assert fit([made.report()], made.machine(), "bubble").accumulate.error == SINGLE
    assert fit([made.report(), made.report(steps=80)], made.machine(), "bubble").accumulate.error == LEAST_ERROR
    slow = made.report()
    for server in slow["servers"]:
        server["phases"]["accumulate"]["seconds"] *= 3.0
    both = fit([made.report(), slow], made.machine(), "bubble").accumulate
    assert both.value == pytest.approx(2.0 * made.PRICES["accumulate"])
    assert both.error == pytest.approx(0.5)


def test_compression_is_that_of_the_reports_else_of_the_machine():
    machine = made.machine()
    tried = fit([made.report(ratio=4.0)], machine, "bubble")
    assert tried.encoding(ZLIB, machine).value == pytest.approx(made.PRICES["encode"])
    assert tried.stored_share("0.nc", ZLIB, machine) == pytest.approx(0.25, rel=1e-3)
    untried = fit([made.report()], machine, "bubble")
    assert untried.encoding(ZLIB, machine).value == pytest.approx(1.0 / machine.codecs["zlib"].bytes_per_second)
    assert untried.encoding(ZLIB, machine).error == FROM_MACHINE
    assert untried.stored_share("0.nc", ZLIB, machine) == 0.5
    with pytest.raises(SizingError, match=r"codec zlib is not known: expected the report .* MACHINE\.yaml"):
        untried.encoding(ZLIB, made.machine(codecs={}))


def test_commits_of_one_size_take_the_byte_from_the_machine():
    report = made.report()
    report["files"] = report["files"][:1]
    machine = made.machine()
    costs = fit([report], machine, "bubble")
    file = report["files"][0]
    assert costs.write.value == pytest.approx(1.0 / machine.disk.bytes_per_second)
    total = costs.commit.of(file["commits"]) + costs.write.of(file["encoded_bytes"])
    assert total == pytest.approx(file["write"]["seconds"])


def test_a_disk_that_is_faster_than_the_machines_file_says_has_no_negative_commits():
    report = made.report()
    report["files"] = report["files"][:1]
    costs = fit([report], made.machine(disk=made.Disk(1e6, 1e6, 0.004, 0.5)), "bubble")
    assert costs.commit.value == 0.0 and costs.write.value > 0.0


def test_too_many_ranks_on_a_node_are_noted():
    costs = fit([made.report(ranks=4)], made.machine(cores=4), "bubble")
    assert any("5 ranks on node0, which has 4 cores" in note for note in costs.notes)


def test_another_component_is_refused_with_the_known_ones():
    with pytest.raises(SizingError, match=r'no report has component "ocean" \(known: bubble\)'):
        fit([made.report()], made.machine(), "ocean")


def test_the_given_step_is_taken():
    assert fit([made.report()], made.machine(), "bubble", step=0.7).model.step(123) == 0.7


@pytest.mark.parametrize("place", [("clients", 0, "run_seconds"), ("servers", 0, "phases"), ("files", 1, "write")])
def test_a_damaged_report_is_found(place):
    report = made.report()
    assert lacking(report) is None
    kind, number, key = place
    report[kind][number][key] = None
    assert lacking(report) is not None
    del report[kind][number][key]
    assert key in lacking(report)


@pytest.mark.parametrize("name", ["ready_seconds", "checkpoint_seconds", "get_seconds", "steps"])
@pytest.mark.parametrize("value", ["1", None, float("nan"), [1.0], True])
def test_a_report_with_words_for_numbers_is_found(name, value):
    report = made.report(ranks=2)
    report["clients"][1][name] = value
    assert lacking(report) == f"clients[1].{name} is not a number"


def test_what_is_lacking_is_said_in_words():
    report = made.report()
    assert lacking(report | {"files": {}}) == "files is not a list"
    assert lacking(report | {"servers": [3]}) == "servers[0] is not a map"
    assert lacking(report | {"run": {"mode": "dedicated"}}) == "run.outcome is missing"
    report["servers"][0]["phases"]["encode"] = {}
    assert lacking(report) == "servers[0].phases.encode.seconds is missing"
    del report["clients"][0]["ready_seconds"], report["servers"][0]["phases"]
    assert lacking(report) == "servers[0].phases is missing"


def test_times_of_nothing_are_left_out():
    """A clock may see nothing of a short step or commit."""
    report, more = made.report(), made.report(ranks=8)
    report["files"].append(report["files"][0] | {"path": "2.nc", "write": made.timings(0.0)})
    costs = fit([report], made.machine(), "bubble")
    assert costs.write.value == pytest.approx(made.PRICES["write"], rel=1e-6)
    for client in more["clients"]:
        client["run_seconds"] = 0.0
    assert fit([made.report(), more], made.machine(), "bubble").model.step(4) == pytest.approx(made.STEP / 4)
    assert fit([more, more], made.machine(), "bubble").model.step(4) == 0.0
    for file in report["files"]:
        file["write"] = made.timings(0.0)
    costs = fit([report], made.machine(), "bubble")
    assert costs.commit.value == costs.write.value == 0.0


def test_the_length_of_a_step_in_model_time():
    assert step_seconds([made.report()], "bubble") == 0.5
    assert step_seconds([made.report()], "ocean") is None
    without = made.report()
    without["clients"][0]["steps"] = 0
    assert step_seconds([without], "bubble") is None
    with pytest.raises(SizingError, match="has a step"):
        fit([without], made.machine(), "bubble")
