"""How far stored values are from the original ones: errors, similarity, spectra, and the information of bits.

SSIM is that of Wang et al. 2004 (doi:10.1109/TIP.2003.819861) with uniform windows of 7 x 7 cells, K1 = 0.01,
K2 = 0.03, and the range of the original slice, of the values themselves. Among several measures of pictures it told
best which differences climate scientists see (Baker et al. 2019, doi:10.1111/cgf.13707).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

WINDOW = 7  # cells
K1, K2 = 0.01, 0.03


@dataclass
class Errors:
    """`largest_relative`: a share of the value, where that is not 0."""

    largest: float = 0.0
    largest_relative: float = 0.0
    squares: float = 0.0
    count: int = 0

    @property
    def rms(self) -> float:
        return float(np.sqrt(self.squares / self.count)) if self.count else 0.0

    def add(self, original: np.ndarray, stored: np.ndarray, valid: np.ndarray) -> None:
        before = original[valid].astype("f8")
        error = np.abs(stored[valid].astype("f8") - before)
        if not error.size:
            return
        size = np.abs(before)
        relative = np.divide(error, size, out=np.zeros_like(error), where=size > 0.0)
        self.largest = max(self.largest, float(error.max()))
        self.largest_relative = max(self.largest_relative, float(relative.max()))
        self.squares += float(np.sum(error**2))
        self.count += error.size


def slices_of(*arrays: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """The two-dimensional slices along the last two dims, of all arrays at once."""
    shape = arrays[0].shape[-2:] if arrays[0].ndim > 1 else (1, arrays[0].size)
    yield from zip(*(array.reshape(-1, *shape) for array in arrays), strict=True)


def _window_means(values: np.ndarray) -> np.ndarray:
    sums = np.pad(values, ((1, 0), (1, 0))).cumsum(0).cumsum(1)
    n = WINDOW
    return (sums[n:, n:] - sums[:-n, n:] - sums[n:, :-n] + sums[:-n, :-n]) / (n * n)


def ssim(original: np.ndarray, stored: np.ndarray, valid: np.ndarray) -> float | None:
    """The mean over the windows of a slice in which all values have data; nothing if there is none."""
    if min(original.shape) < WINDOW or not valid.any():
        return None
    x = np.where(valid, original, 0.0).astype("f8")
    y = np.where(valid, stored, 0.0).astype("f8")
    middle = x[valid].mean()  # the sums of squares keep more digits near zero
    x, y = np.where(valid, x - middle, 0.0), np.where(valid, y - middle, 0.0)
    whole = _window_means(valid.astype("f8")) > 1.0 - 0.5 / WINDOW**2
    spread = float(np.ptp(x[valid]))
    if not whole.any():
        return None
    if spread == 0.0:
        return 1.0 if (x == y).all() else 0.0
    unbiased = WINDOW**2 / (WINDOW**2 - 1.0)
    mean_x, mean_y = _window_means(x), _window_means(y)
    variance_x = unbiased * (_window_means(x * x) - mean_x**2)
    variance_y = unbiased * (_window_means(y * y) - mean_y**2)
    covariance = unbiased * (_window_means(x * y) - mean_x * mean_y)
    mean_x, mean_y = mean_x + middle, mean_y + middle
    c1, c2 = (K1 * spread) ** 2, (K2 * spread) ** 2
    index = (2 * mean_x * mean_y + c1) * (2 * covariance + c2)
    index /= (mean_x**2 + mean_y**2 + c1) * (variance_x + variance_y + c2)
    return float(index[whole].mean())


def row_power(values: np.ndarray, valid: np.ndarray) -> np.ndarray | None:
    """The mean power of the rows of a slice by wave number, from 1 wave a row; rows without data in a cell are left
    out. Nothing if all are, or a row has fewer than 8 cells."""
    rows = valid.all(axis=1)
    if not rows.any() or values.shape[1] < 8:
        return None
    chosen = values[rows].astype("f8")
    chosen = (chosen - chosen.mean(axis=1, keepdims=True)) * np.hanning(values.shape[1])
    return np.mean(np.abs(np.fft.rfft(chosen, axis=1)) ** 2, axis=0)[1:]


def passing_length(signal: np.ndarray, error: np.ndarray, cells: int) -> float | None:
    """The longest wave, in cells, from which on all shorter ones have more power in the error than in the signal;
    nothing if the shortest has not."""
    above = error >= signal
    if not above[-1] or not error.any():
        return None
    first = len(above) - int(np.argmin(above[::-1])) if not above.all() else 0
    return cells / (first + 1)
