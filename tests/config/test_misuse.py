"""Errors for wrong uses of the calls, and for declarations that do not match the configuration."""

import pytest
from support.harness import attached, block_grid, field, indexed_grid, inline, model, servers

USAGE, CONFIGURATION = 1, 2
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "output": {"out.nc": {"variables": [{"field": "w", "time": "mean", "every": "5 s"}]}},
}


def player(ranks=2, grid=None, config_field="w", **more):
    grids = [grid or block_grid("g", shape=(3, 4, 6))]
    fields = [field(config_field, "g"), field("other", "g", "float32")]
    return model(ranks, grids=grids, fields=fields, times=[1.0, 2.0, 3.0], **more)


def fault(kind: str, rank=1, step=2) -> dict:
    return {"kind": kind, "rank": rank, "step": step}


@pytest.mark.parametrize(
    ("kind", "step", "pieces"),
    [
        ("wrong_size", 2, ['put of field "w"', '"g"', "37"]),
        ("wrong_type", 2, ['put of field "w"', "float32", "float64"]),
        ("put_before_ready", 0, ["put was called before ready"]),
        ("undeclared", 2, ['"no_such_field"', "known:"]),
        ("back_in_time", 2, ["time never goes back"]),
    ],
)
def test_misuse_is_caught_at_the_call(job, kind, step, pieces):
    result = job(player(fault=fault(kind, step=step)), servers(1), config=CONFIG)
    result.failed_with(*pieces, code=USAGE)


@pytest.mark.parametrize("serving", [servers(1), attached(), inline()], ids=lambda one: one.mode)
def test_a_run_without_a_step(job, serving):
    silent = model(2, grids=[block_grid("g", shape=(3, 4, 6))], fields=[field("w", "g")], times=[])
    result = job(silent, serving, config=CONFIG)
    result.failed_with("finish was called without any step", code=USAGE)


@pytest.mark.parametrize("grid", [block_grid("g", (3, 4, 6)), indexed_grid("g", (2, 12))], ids=["block", "indexed"])
@pytest.mark.parametrize(("kind", "pieces"), [("overlap", ["ranks 0 and 1 both hold"]), ("hole", ["no rank holds"])])
def test_decompositions_must_cover_each_cell_once(job, grid, kind, pieces):
    result = job(player(grid=grid, fault=fault(kind)), servers(1), config=CONFIG)
    result.failed_with('grid "g"', *pieces, code=USAGE)


def test_a_field_that_the_model_does_not_declare(job):
    result = job(player(config_field="ww"), servers(1), config=CONFIG)
    result.failed_with("tailrace.yaml:", 'the model declares no field "w"', 'Did you mean "ww"?', code=CONFIGURATION)
    others = [message for _, message in result.errors if "declares no field" not in message]
    assert len(others) == len(result.errors) - 1 >= 1, "one rank has the message, and the others refer to it"
    assert all("first rank of the component reports the reason" in message for message in others)


def test_a_period_that_no_step_can_meet(job):
    config = {
        "fields": {"state": {"every": "4 steps", "names": ["w"]}},
        "output": {"out.nc": {"variables": [{"field": "w", "time": "snapshot", "every": "6 steps"}]}},
    }
    result = job(player(), servers(1), config=config)
    result.failed_with("no step can meet", "every 6 steps", "is not a multiple of 4", code=CONFIGURATION)


def test_several_mistakes_are_reported_together(job):
    config = {
        "fields": {"state": {"every": "1 step", "names": ["w", "absent", "missing"]}},
        "output": {"out.nc": {"variables": [{"field": "w", "time": "mean", "every": "5 s"}]}},
    }
    job(player(), servers(1), config=config).failed_with('"absent"', '"missing"', code=CONFIGURATION)


def test_a_bad_configuration_stops_all_ranks(job):
    result = job(player(), servers(1), config=CONFIG | {"outputt": {}})
    result.failed_with('Did you mean "output"?', code=CONFIGURATION)
