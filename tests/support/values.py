"""The values that the player puts, and the expected contents of files, computed with NumPy alone."""

from dataclasses import dataclass

import numpy as np


def put_values(field: int, shape: tuple[int, ...], time: float, step: int, dtype: str = "float64") -> np.ndarray:
    """The values of the player's field number `field` at a step; the formula of value_at in player.cpp."""
    position = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64)
    wave = ((position * 37) % 101).astype(np.float64) * 0.25
    slope = (1 + position % 5).astype(np.float64)
    jump = ((step * 31 + position) % 17).astype(np.float64)
    values = field * 100.0 + wave + time * slope + jump
    return values.astype(dtype).reshape(shape)


def missing_cells(shape: tuple[int, ...], step: int) -> np.ndarray:
    """Tells which cells of a field with a fill value are missing at a step; has_no_value in player.cpp."""
    position = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64).reshape(shape)
    return (position % 11 == 7) | ((5 * step + 3 * position) % 4 == 0)


def varying_times(count: int, seed: int = 1, shortest: float = 0.5, longest: float = 2.5, begin: float = 0.0):
    """Times after each of `count` steps of varying lengths, without round numbers."""
    lengths = np.random.default_rng(seed).uniform(shortest, longest, count)
    return [float(time) for time in begin + np.cumsum(lengths)]


@dataclass
class History:
    """A field over a run: (time, step, value) of every put, and the time at which the run began."""

    begin: float
    times: list[float]
    values: list[np.ndarray]  # one for each step, as float64

    @classmethod
    def of(cls, field: int, shape: tuple[int, ...], times: list[float], dtype="float64", begin=0.0) -> "History":
        puts = [put_values(field, shape, time, i + 1, dtype).astype(np.float64) for i, time in enumerate(times)]
        return cls(begin, times, puts)

    def windows(self, every: float) -> list[tuple[float, float]]:
        """The windows [k every, (k + 1) every) that the run touched; the last one ends where the run ended."""
        end = self.times[-1]
        first = int(np.floor(self.begin / every))
        last = int(np.ceil(end / every))
        return [(max(k * every, self.begin), min((k + 1) * every, end)) for k in range(first, last)]

    def overlaps(self, window: tuple[float, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The samples in a window: weights, lengths (s) and values. A put represents the step that ends then."""
        starts = np.array([self.begin, *self.times[:-1]])
        ends = np.array(self.times)
        weights = np.minimum(ends, window[1]) - np.maximum(starts, window[0])
        inside = weights > 0
        return weights[inside], (ends - starts)[inside], np.array(self.values)[inside]

    def reduced(self, kind: str, every: float) -> np.ndarray:
        """The reduction over each window, stacked along a leading time dimension."""
        return np.array([reduce_window(kind, *self.overlaps(window)) for window in self.windows(every)])

    def snapshots(self, every: float) -> tuple[list[float], np.ndarray]:
        """At each multiple of `every` after the beginning: the first step at or past it (once a step)."""
        chosen = []
        due = (np.floor(self.begin / every) + 1) * every
        for i, time in enumerate(self.times):
            if time >= due:
                chosen.append(i)
                due = (np.floor(time / every) + 1) * every
        return [self.times[i] for i in chosen], np.array([self.values[i] for i in chosen])


def reduce_window(kind: str, weights: np.ndarray, lengths: np.ndarray, values: np.ndarray) -> np.ndarray:
    column = weights.reshape((-1,) + (1,) * (values.ndim - 1))
    if kind == "min":
        return values.min(axis=0)
    if kind == "max":
        return values.max(axis=0)
    if kind == "sum":
        return (column / lengths.reshape(column.shape) * values).sum(axis=0)
    mean = (column * values).sum(axis=0) / weights.sum()
    if kind == "mean":
        return mean
    if kind == "std":
        return np.sqrt((column * (values - mean) ** 2).sum(axis=0) / weights.sum())
    raise ValueError(kind)
