"""The analysis of benchmarks in which steps with and without output alternate in blocks."""

import random

import pytest
from support import benchmarks

blocks = benchmarks.module("blocks")


def run(extra_of_step: dict[int, float], steps: int = 3000, length: int = 60) -> list[float]:
    """3 ms per step with a slow drift, noise of 0.1 ms, and occasional delayed steps."""
    noise = random.Random(1)
    times = []
    for step in range(1, steps + 1):
        time = 3e-3 + 1e-7 * step + noise.gauss(0, 1e-4) + (1e-2 if noise.random() < 0.02 else 0)
        if step // length % 2 == 0:
            time += sum(cost for every, cost in extra_of_step.items() if step % every == 0)
        times.append(time)
    return times


def test_a_known_cost_is_found_beside_drift_and_disturbances() -> None:
    costs = {1: 5e-6, 4: 60e-6, 10: 70e-6}
    expected = 5e-6 + 60e-6 / 4 + 70e-6 / 10
    assert blocks.extra_seconds([run(costs)], 60, 20) == pytest.approx(expected, abs=8e-6)


def test_steps_that_cost_the_same_show_nothing() -> None:
    assert blocks.extra_seconds([run({})], 60, 20) == pytest.approx(0, abs=8e-6)


def test_without_noise_it_is_exact() -> None:
    times = [1.0 + (0.125 if step // 60 % 2 == 0 and step % 4 == 0 else 0.0) for step in range(1, 601)]
    assert blocks.extra_seconds([times], 60, 20) == pytest.approx(0.125 / 4, abs=1e-12)


def test_runs_are_combined() -> None:
    cheap, dear = run({1: 20e-6}), run({1: 80e-6})
    assert blocks.extra_seconds([cheap, dear], 60, 20) == pytest.approx(50e-6, abs=8e-6)


def test_steps_that_shared_the_processor_are_left_out() -> None:
    """Other processes run for about a second at a time and make half of the steps 50 % longer."""
    noise = random.Random(2)
    slow, runs = False, []
    for _ in range(3):
        times = []
        for time in run({1: 40e-6, 4: 60e-6}):
            slow = slow != (noise.random() < 1 / 150)
            times.append(1.5 * time if slow else time)
        runs.append(times)
    assert blocks.extra_seconds(runs, 60, 20) == pytest.approx(55e-6, abs=8e-6)
