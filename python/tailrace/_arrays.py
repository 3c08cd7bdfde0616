"""Converts what is not a plain NumPy array, and refuses what would lose values. The compiled module calls it.

NumPy drops the mask of a masked array wherever a plain array is wanted, and turns times, complex numbers and fractions
into other numbers. Missing values of pandas and xarray are NA and NaN.
"""

from numbers import Real
from typing import Any, NoReturn

import numpy as np

__all__ = ["Slot", "numbers", "plain", "slot"]


def refuse(message: str) -> NoReturn:
    from . import _core

    error = _core.Error(message)
    error.code = "usage"
    raise error


def some_of(count: int, of: int, what: str) -> str:
    return f"{count} of {of} values {'is' if count == 1 else 'are'} {what}"


def needs_fill(what: str, count: int, of: int, how: str) -> NoReturn:
    refuse(f"{what}: {some_of(count, of, how)}, but the field has no fill_value; declare it with fill_value=...")


def plain(given: Any, dtype: str, fill: float | int | None, what: str) -> Any:
    """Values for a field of this type, with its fill value (None: it has none) where they are missing.

    Returns anything else, such as an array of another library, as it is.
    """
    if isinstance(given, np.ma.MaskedArray):
        return without_mask(given, dtype, fill, what)
    if hasattr(given, "isna") and hasattr(given, "to_numpy"):
        return from_pandas(given, fill, what)
    if hasattr(given, "to_numpy"):
        return from_others(given, fill, what)
    return given


def without_mask(given: np.ma.MaskedArray, dtype: str, fill: float | int | None, what: str) -> np.ndarray:
    masked = int(np.count_nonzero(np.ma.getmaskarray(given)))
    if masked == 0:
        return given.data
    if fill is None:
        needs_fill(what, masked, given.size, "masked")
    if given is np.ma.masked:  # one masked number, which has no type of its own
        return np.full((), fill, dtype)
    values = np.array(given.data)
    if values.dtype == dtype:
        values[np.ma.getmaskarray(given)] = fill
    return values  # of another type, which the caller refuses


def from_pandas(given: Any, fill: float | int | None, what: str) -> np.ndarray:
    """A Series, an Index, a DataFrame or an extension array."""
    own = getattr(given, "dtype", None)
    native = own if own is None or isinstance(own, np.dtype) else getattr(own, "numpy_dtype", None)
    missing = np.asarray(given.isna())
    count = int(np.count_nonzero(missing))
    if count == 0:
        return given.to_numpy(dtype=native)
    if fill is not None:
        return given.to_numpy(dtype=native, na_value=fill)
    if own is not native:  # where NaN is a number beside NA
        needs_fill(what, count, missing.size, "NA")
    return given.to_numpy(dtype=native)


def from_others(given: Any, fill: float | int | None, what: str) -> np.ndarray:
    """An array of xarray, or a series of a library like pandas. NaN stands for a missing value in them."""
    nulls = getattr(given, "null_count", 0)
    nulls = int(nulls() if callable(nulls) else nulls)
    if nulls > 0 and fill is None:
        needs_fill(what, nulls, len(given), "null")
    values = given.to_numpy()
    if fill is None or values.dtype.kind != "f":
        return values
    missing = np.isnan(values)
    return np.where(missing, values.dtype.type(fill), values) if missing.any() else values


def numbers(given: Any, dtype: str, what: str, missing: int | None = None) -> np.ndarray:
    """A dense array of float64, int32 or int64, in C order. `missing` replaces masked values, NaN and NA."""
    values = with_missing(given, what, missing)
    if values.size > 0:
        values = checked(values, np.dtype(dtype), what)
    return np.ascontiguousarray(values, dtype)


def with_missing(given: Any, what: str, missing: int | None) -> np.ndarray:
    if isinstance(given, np.ma.MaskedArray):
        masked = int(np.count_nonzero(np.ma.getmaskarray(given)))
        if masked and missing is None:
            remedy = "give numbers; for a coordinate of cells without a place, array.filled(numpy.nan)"
            refuse(f"{what}: {some_of(masked, given.size, 'masked')}; {remedy}")
        return given.filled(missing) if masked else given.data
    if hasattr(given, "isna") and hasattr(given, "to_numpy"):
        values = from_pandas(given, missing, what) if missing is not None else given.to_numpy()
    elif hasattr(given, "to_numpy"):
        values = given.to_numpy()
    else:
        values = np.asarray(given)
    if missing is not None and values.dtype.kind == "f":
        values = np.where(np.isnan(values), missing, values)
    return values


def checked(values: np.ndarray, dtype: np.dtype, what: str) -> np.ndarray:
    expected = "numbers" if dtype.kind == "f" else "whole numbers"
    kind = values.dtype.kind
    if kind == "O":
        lost = [one for one in values.flat if not isinstance(one, Real)]
        if lost:
            refuse(f"{what}: expected {expected}, but got {lost[0]!r} among them")
        values = values.astype(np.float64 if dtype.kind == "f" else np.int64)
    elif kind in "mM":
        refuse(
            f"{what}: expected {expected}, but got times ({values.dtype}); "
            'make numbers of them, with units: (times - start) / numpy.timedelta64(1, "s")'
        )
    elif kind not in "fiub":
        refuse(f"{what}: expected {expected}, but got an array of {values.dtype}")
    return values if dtype.kind == "f" else checked_whole(values, dtype, what)


def checked_whole(values: np.ndarray, dtype: np.dtype, what: str) -> np.ndarray:
    limits = np.iinfo(dtype)
    if values.dtype.kind == "f":
        fits = (values == np.floor(values)) & (values >= limits.min) & (values < -float(limits.min))
    else:
        fits = (values >= limits.min) & (values <= limits.max)
    if not fits.all():
        refuse(f"{what}: expected whole numbers that {dtype} can hold, but got {values[~fits].flat[0]} among them")
    return values


class Slot(np.ndarray):
    """The memory that `acquire` returns. Assigned masked values become the fill value."""

    fill: float | int | None = None
    what = ""

    def __array_finalize__(self, source: Any) -> None:
        if isinstance(source, Slot):
            self.fill, self.what = source.fill, source.what

    def __setitem__(self, where: Any, values: Any) -> None:
        if isinstance(values, np.ma.MaskedArray):
            values = without_mask(values, str(self.dtype), self.fill, self.what)
        super().__setitem__(where, values)


def slot(memory: np.ndarray, fill: float | int | None, what: str) -> Slot:
    made = memory.view(Slot)
    made.fill, made.what = fill, what
    return made
