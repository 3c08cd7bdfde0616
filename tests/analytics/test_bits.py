"""Diagnostics have the same bits for any number of ranks, servers and threads, any transport and any delays.

The usual run covers every pair of values of two factors; TAILRACE_TEST_ALL=1 runs the full product in some minutes.
"""

import itertools
import os

import pytest
from support.harness import Job, attached, block_grid, field, indexed_grid, inline, model, replicated_grid, servers
from support.reading import differences, every_bit
from support.values import varying_times

EXPRESSIONS = {
    "profile": "mean(w, y, x)",
    "flux": "mean((w - profile) * (w - profile), y, x)",
    "variance": "var(w)",
    "spread": "std(mask(w, w > 12), y, x, skip_missing=1)",
    "skewness": "mean(anomaly(w) ** 3) / var(w) ** 1.5",
    "weighted": "mean(w, weights=exp(-w / 30))",
    "covered": "sum(max(w, z) > 25)",
    "columns": "sum(w, z)",
    "rows": "sum(w * w, x)",
    "lowest": "min(w, y)",
    "highest": "max(w)",
    "where_highest": 'argmax(w, along="x")',
    "how_many": "count(mask(w, w % 2 < 1), z)",
    "any_of": "any(w > 40, y, x)",
    "distribution": "histogram(w, low=0, high=50, bins=7)",
    "column_mass": "vertical_integral(w, z)",
    "median": "quantile(w, y, x, q=0.5)",
    "deciles": "quantile(w, q=[0.1, 0.9])",
    "running": "cumsum(w, x)",
    "steps": "diff(w, y)",
    "waves": "spectrum(w, x)",
    "rings": "spectrum(w, y, x)",
    "coarse": "coarsen(w, y=2, x=3)",
    "middle": "slice(w, y=3)",
    "at_height": 'select(w, z=33, method="linear")',
    "at_levels": "interpolate(w, z, z, levels=[15, 40])",
    "clouds": "regions(w > 20, y, x)",
    "cloud_number": "region_count(w > 20, y, x)",
    "cloud_sizes": "region_size(w > 20, y, x, max=8)",
    "cloud_means": "region_mean(w > 20, w, y, x, max=8)",
    "tracks": "track(max(w, z) > 26)",
    "track_sizes": "region_size(tracks, labels=1, max=8)",
    "relative": "w / max(abs(w))",
    "speed": "hypot(w, profile)",
    "folded": "where(w > mean(w), sqrt(abs(w)), -w)",
    "together": "w * total + sum(k_values)",
    "cells": "mean(t, cell)",
    "cells_corr": "corr(t, t * t)",
    "cells_max": "max(t, level)",
    "column_only": "cumsum(k_values, k) * total",
}
CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w", "t", "k_values", "total"]}},
    "diagnostics": {name: {"is": text} for name, text in EXPRESSIONS.items()},
    "output": {
        "each.nc": {
            "write_every": "3 s",
            "variables": [{"field": name, "time": "snapshot", "every": "1 step"} for name in EXPRESSIONS],
        },
        "windows.nc": {
            "write_every": "4 s",
            "variables": [
                {"field": name, "time": kind, "every": "2 s"}
                for name, kind in zip(EXPRESSIONS, itertools.cycle(["mean", "min", "max", "sum"]))
            ],
        },
    },
}
SCENARIO = {
    "grids": [block_grid(), indexed_grid(), replicated_grid()],
    "fields": [
        field("w", "les", units="1"),
        field("t", "ico", "float32", units="1"),
        field("k_values", "column", "int32", units="1"),
        field("total", units="1"),
    ],
    "times": varying_times(6, seed=4),
}
FILES = ("each.nc", "windows.nc")
RANKS, SERVERS, THREADS, TRANSPORTS = (1, 2, 3, 4, 6, 8), (1, 2, 3), (1, 2, 4), ("shm", "mpi")


def pairwise() -> list[tuple]:
    """A greedy choice of runs of the product that covers every pair of values."""
    product = list(itertools.product(RANKS, SERVERS, THREADS, TRANSPORTS))

    def pairs(run: tuple) -> set:
        return set(itertools.combinations(enumerate(run), 2))

    missing = set().union(*map(pairs, product))
    chosen = []
    while missing:
        chosen.append(max(product, key=lambda run: len(pairs(run) & missing)))
        missing -= pairs(chosen[-1])
    return chosen


RUNS = list(itertools.product(RANKS, SERVERS, THREADS, TRANSPORTS)) if "TAILRACE_TEST_ALL" in os.environ else pairwise()


def bits_of(job: Job, ranks: int, serving, delays: str = "") -> dict:
    environment = {"TAILRACE_RANDOM_DELAYS": delays} if delays else {}
    result = job(model(ranks, **SCENARIO), serving, config=CONFIG, environment=environment).finished()
    return {name: every_bit(result.path(name)) for name in FILES}


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """One rank that does everything itself, without delays."""
    return bits_of(Job(tmp_path_factory.mktemp("reference")), 1, inline())


def assert_same(bits: dict, reference: dict) -> None:
    for name in FILES:
        assert differences(bits[name], reference[name]) == []


@pytest.mark.parametrize(("ranks", "count", "threads", "transport"), RUNS)
def test_same_bits(job, reference, ranks, count, threads, transport):
    delays = f"{ranks * 100 + count * 10 + threads}:2000"
    serving = servers(count, threads=threads, transport=transport)
    assert_same(bits_of(job, ranks, serving, delays), reference)


@pytest.mark.parametrize("mode", [attached, inline])
@pytest.mark.parametrize("ranks", [2, 4])
def test_same_bits_without_servers_of_their_own(job, reference, mode, ranks):
    assert_same(bits_of(job, ranks, mode(), f"{ranks}:2000"), reference)


def test_pairs_are_covered():
    assert len(pairwise()) <= 24
    assert {run[0] for run in pairwise()} == set(RANKS)
