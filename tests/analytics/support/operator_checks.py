"""The reference of each operator: an expression of Tailrace and the same in NumPy, SciPy or xarray.

`operator` is the name on the reference page, which shows the expression as the operator's check. `expected` takes the
fields of one step (attributes of a namespace, dims z, y, x; `so_far` holds those of all steps up to this one) and gives
the diagnostic's value.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy import ndimage

EXACT = 0.0
SUMS = 1e-13  # both round, NumPy more often
LIBRARY = 1e-15  # for another mathematical library: glibc's cube root has errors of up to four units in the last place


@dataclass
class Check:
    operator: str
    expression: str
    expected: Callable
    relative: float = EXACT
    least: dict | None = None  # dim -> shortest extent for which the expression is allowed


def label(condition: np.ndarray) -> np.ndarray:
    return ndimage.label(np.nan_to_num(condition))[0].astype(float)


def over_levels(function: Callable) -> Callable:
    """Applies a function of y, x to each z."""
    return lambda *arrays: np.stack([function(*slabs) for slabs in zip(*arrays, strict=True)])


def padded(values, length: int) -> np.ndarray:
    values = np.asarray(values, float)[:length]
    return np.concatenate([values, np.full(length - len(values), np.nan)])


def of_regions(function: Callable, length: int) -> Callable:
    """A statistic of scipy.ndimage for each region of b > 1.2 on each level."""

    def on_level(condition, values):
        labels, count = ndimage.label(condition)
        return padded(function(values, labels, np.arange(1, count + 1)) if count else [], length)

    return over_levels(on_level)


def spectrum_along(a: np.ndarray, axis: int) -> np.ndarray:
    n = a.shape[axis]
    power = np.moveaxis(np.abs(np.fft.fft(a, axis=axis)) ** 2 / n**2, axis, -1)
    result = power[..., : n // 2 + 1].copy()
    for k in range(1, (n - 1) // 2 + 1):
        result[..., k] += power[..., n - k]
    return result


def interpolated(a, coordinate, levels, **ends) -> np.ndarray:
    """numpy.interp for each column; new last dimension."""
    coordinate = np.broadcast_to(coordinate, a.shape)
    result = np.empty((*a.shape[1:], len(levels)))
    for place in np.ndindex(a.shape[1:]):
        x, y = coordinate[(slice(None), *place)], a[(slice(None), *place)]
        result[place] = np.interp(levels, x, y, **ends)
    return result


def coarsened(how: str, **sizes) -> Callable:
    return lambda v: getattr(xr.DataArray(v.a, dims=("z", "y", "x")).coarsen(sizes, boundary="pad"), how)().values


def correlation(v) -> float:
    return np.corrcoef(v.a.ravel(), v.b.ravel())[0, 1]


def masked(v) -> np.ndarray:
    return np.where(v.a > 0, v.a, np.nan)


def argcoordinate(v) -> np.ndarray:
    return v.z[np.argmax(v.a, axis=0)]


def tracked(v) -> np.ndarray:
    """The regions of b > 1.2 on all levels together, tracked from the first step to this one by the rules of track."""
    numbers, highest = np.zeros(v.b.shape), 0
    for step in v.so_far:
        labels, count = ndimage.label(step.b > 1.2)
        overlaps = []
        for region in range(1, count + 1):
            for number in np.unique(numbers[(labels == region) & (numbers > 0)]):
                overlaps.append((-np.count_nonzero((labels == region) & (numbers == number)), number, region))
        given, used = {}, set()
        for _, number, region in sorted(overlaps):
            if region not in given and number not in used:
                given[region] = number
                used.add(number)
        for region in range(1, count + 1):
            if region not in given:
                highest += 1
                given[region] = highest
        numbers = np.array([0.0, *(given[region] for region in range(1, count + 1))])[labels]
    return numbers


UNARY = {
    "abs": np.abs, "sign": np.sign, "sqrt": np.sqrt, "cbrt": np.cbrt, "square": np.square, "exp": np.exp,
    "expm1": np.expm1, "log": np.log, "log10": np.log10, "log2": np.log2, "log1p": np.log1p, "sin": np.sin,
    "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "floor": np.floor, "ceil": np.ceil, "round": np.round, "trunc": np.trunc,
    "isnan": np.isnan, "isfinite": np.isfinite,
}  # fmt: skip
TO_THE_BIT = {"abs", "sign", "sqrt", "square", "floor", "ceil", "round", "trunc", "isnan", "isfinite"}
SIGNS = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "%": np.fmod, "<": np.less, "<=": np.less_equal,
    ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal, "and": np.logical_and,
    "or": np.logical_or,
}  # fmt: skip
PAIRS = {"atan2": np.arctan2, "hypot": np.hypot, "minimum": np.minimum, "maximum": np.maximum}


def elementwise() -> list[Check]:
    """Fields: a any, b positive, n with NaN, infinities and zeros."""
    checks = [Check("neg", "-n", lambda v: -v.n), Check("not", "not n", lambda v: np.logical_not(v.n))]
    for name, function in UNARY.items():
        how = EXACT if name in TO_THE_BIT else LIBRARY
        checks.append(Check(name, f"{name}(n)", lambda v, f=function: f(v.n), how))
        checks.append(Check(name, f"{name}(a * 0.3)", lambda v, f=function: f(v.a * 0.3), how))
    for sign, function in SIGNS.items():
        checks.append(Check(sign, f"a {sign} n", lambda v, f=function: f(v.a, v.n)))
        checks.append(Check(sign, f"p {sign} s", lambda v, f=function: f(v.p[:, None, None], v.s)))
    for name, function in PAIRS.items():
        how = EXACT if name.endswith("imum") else LIBRARY
        checks.append(Check(name, f"{name}(a, n)", lambda v, f=function: f(v.a, v.n), how))
    checks += [
        Check("**", "b ** a", lambda v: v.b**v.a, LIBRARY),
        Check("**", "a ^ 3", lambda v: v.a**3.0, LIBRARY),
        Check("**", "n ** 2", lambda v: np.square(v.n)),
        Check("where", "where(a > 0, n, b)", lambda v: np.where(v.a > 0, v.n, v.b)),
        Check("where", "where(n, a, 0)", lambda v: np.where(v.n != 0, v.a, 0)),
        Check("clip", "clip(n, -0.5, 0.5)", lambda v: np.clip(v.n, -0.5, 0.5)),
        Check("clip", "clip(a, -b, b)", lambda v: np.clip(v.a, -v.b, v.b)),
        Check("mask", "mask(a, a > 0)", masked),
        Check("with_units", 'with_units(a, units="m")', lambda v: v.a),
        Check("to_units", 'to_units(with_units(a, units="m"), units="km")', lambda v: v.a / 1000, LIBRARY),
        Check("to_units", 'to_units(with_units(a, units="degC"), units="K")', lambda v: v.a + 273.15, LIBRARY),
    ]
    return checks


def reductions() -> list[Check]:
    """m is a field in which some cells are NaN and the others finite."""
    flat, level, column = None, (1, 2), (0,)
    checks = []
    for words, axes in (("", flat), (", y, x", level), (", z", column), (", x", (2,))):
        some = lambda function, axis=axes: lambda v: function(v.m, axis=axis)  # noqa: E731
        full = lambda function, axis=axes: lambda v: function(v.a, axis=axis)  # noqa: E731
        checks += [
            Check("sum", f"sum(a{words})", full(np.sum), SUMS),
            Check("sum", f"sum(m{words})", some(np.sum), SUMS),
            Check("sum", f"sum(m{words}, skip_missing=1)", some(np.nansum), SUMS),
            Check("min", f"min(a{words})", full(np.min)),
            Check("max", f"max(a{words})", full(np.max)),
            Check("min", f"min(m{words})", some(np.min)),
            Check("min", f"min(m{words}, skip_missing=1)", some(np.nanmin)),
            Check("max", f"max(m{words}, skip_missing=1)", some(np.nanmax)),
            Check("count", f"count(m{words})", some(lambda a, axis: np.count_nonzero(~np.isnan(a), axis=axis))),
            Check("any", f"any(a > 1.5{words})", full(lambda a, axis: np.any(a > 1.5, axis=axis))),
            Check("all", f"all(a > -1.5{words})", full(lambda a, axis: np.all(a > -1.5, axis=axis))),
            Check("mean", f"mean(a{words})", full(np.mean), SUMS),
            Check("mean", f"mean(m{words}, skip_missing=1)", some(np.nanmean), SUMS),
            Check("var", f"var(a{words})", full(np.var), SUMS),
            Check("std", f"std(a{words})", full(np.std), SUMS),
            Check("std", f"std(m{words}, skip_missing=1)", some(np.nanstd), SUMS),
            Check("rms", f"rms(a{words})", full(lambda a, axis: np.sqrt(np.mean(a**2, axis=axis))), SUMS),
            Check("quantile", f"quantile(a{words}, q=0.3)", full(lambda a, axis: np.quantile(a, 0.3, axis=axis)), SUMS),
            Check(
                "quantile",
                f"quantile(m{words}, q=[0.1, 0.5, 1], skip_missing=1)",
                some(lambda a, axis: np.moveaxis(np.nanquantile(a, [0.1, 0.5, 1], axis=axis), 0, -1)),
                SUMS,
            ),
            Check(
                "anomaly", f"anomaly(a{words})", full(lambda a, axis: a - np.mean(a, axis=axis, keepdims=True)), SUMS
            ),
        ]
    edges = np.linspace(-2, 2, 9)
    checks += [
        Check("max", "max(sqrt(m * m + n ** 2), y, x)", lambda v: np.max(np.sqrt(v.m * v.m + v.n**2), axis=(1, 2))),
        Check("min", "min(sqrt(abs(n)), z, skip_missing=1)", lambda v: np.nanmin(np.sqrt(np.abs(v.n)), axis=0)),
        Check("max", "max(sqrt(a), x)", lambda v: np.max(np.sqrt(v.a), axis=2)),
        Check("max", "max(sqrt(a), z, skip_missing=1)", lambda v: np.nanmax(np.sqrt(v.a), axis=0)),
        Check("sum", "sum(a, y, x, weights=b)", lambda v: np.sum(v.a * v.b, axis=(1, 2)), SUMS),
        Check("mean", "mean(a, weights=b)", lambda v: np.average(v.a, weights=v.b), SUMS),
        Check("mean", "mean(a, z, weights=p)", lambda v: np.average(v.a, axis=0, weights=v.p), SUMS),
        Check("var", "var(a, ddof=1)", lambda v: np.var(v.a, ddof=1), SUMS),
        Check("cov", "cov(a, b)", lambda v: np.cov(v.a.ravel(), v.b.ravel(), bias=True)[0, 1], 1e-12),
        Check("cov", "cov(a, b, ddof=1)", lambda v: np.cov(v.a.ravel(), v.b.ravel())[0, 1], 1e-12),
        Check("corr", "corr(a, b)", correlation, 1e-12),
        Check("argmin", "argmin(a, z)", lambda v: np.argmin(v.a, axis=0)),
        Check("argmax", "argmax(a, y)", lambda v: np.argmax(v.a, axis=1)),
        Check("argmax", 'argmax(a, z, give="coordinate")', argcoordinate),
        Check("argmin", 'argmin(a, along="y")', lambda v: np.unravel_index(np.argmin(v.a), v.a.shape)[1]),
        Check("argmax", "argmax(m, x, skip_missing=1)", lambda v: np.nanargmax(v.m, axis=2)),
        Check("histogram", "histogram(m, low=-2, high=2, bins=8)", lambda v: np.histogram(v.m, edges)[0]),
        Check(
            "histogram",
            "histogram(a, y, x, edges=[-1, 0, 0.5, 3])",
            lambda v: np.stack([np.histogram(level, [-1, 0, 0.5, 3])[0] for level in v.a]),
        ),
        Check("vertical_integral", "vertical_integral(a, z)", lambda v: np.trapezoid(v.a, v.z, axis=0), SUMS),
        Check("vertical_integral", "vertical_integral(a, p, z)", lambda v: np.tensordot(v.p, v.a, 1), SUMS),
        Check(
            "vertical_integral",
            "vertical_integral(m, b, z, skip_missing=1)",
            lambda v: np.nansum(v.m * v.b, axis=0),
            SUMS,
        ),
    ]
    return checks


def kernels() -> list[Check]:
    levels = [15.0, 28.0, 1000.0]
    condition = lambda v: (v.b > 1.2).astype(float)  # noqa: E731
    number = lambda v, labels, index: ndimage.sum(np.ones_like(labels), labels, index)  # noqa: E731
    return [
        Check("cumsum", "cumsum(a, z)", lambda v: np.cumsum(v.a, axis=0)),
        Check("cumsum", "cumsum(a, x)", lambda v: np.cumsum(v.a, axis=2)),
        Check("cumsum", "cumsum(m, y, skip_missing=1)", lambda v: np.nancumsum(v.m, axis=1)),
        Check("diff", "diff(a, z)", lambda v: np.diff(v.a, axis=0), least={"z": 2}),
        Check("diff", "diff(n, y)", lambda v: np.diff(v.n, axis=1), least={"y": 2}),
        Check("diff", "diff(a, x)", lambda v: np.diff(v.a, axis=2), least={"x": 2}),
        Check("coarsen", "coarsen(a, y=2, x=3)", coarsened("mean", y=2, x=3), SUMS),
        Check("coarsen", 'coarsen(a, z=2, method="sum")', coarsened("sum", z=2), SUMS),
        Check("coarsen", 'coarsen(a, x=2, method="min")', coarsened("min", x=2)),
        Check("coarsen", 'coarsen(a, y=3, method="max")', coarsened("max", y=3)),
        Check("coarsen", 'coarsen(n, y=2, method="sample")', lambda v: v.n[:, ::2]),
        Check("slice", "slice(a, z=0)", lambda v: v.a[0]),
        Check("slice", "slice(n, x=-1, y=[0, 1])", lambda v: v.n[:, 0:1, -1]),
        Check("slice", "slice(a, y=[0, 5, 2])", lambda v: v.a[:, 0:5:2], least={"y": 5}),
        Check("range", "range(a, z=[-1e9, 31])", lambda v: v.a[v.z <= 31]),
        Check("select", "select(a, z=31)", lambda v: v.a[np.argmin(np.abs(v.z - 31))]),
        Check(
            "select",
            'select(a, z=[12, 25], method="linear")',
            lambda v: np.moveaxis(interpolated(v.a, v.z[:, None, None], [12, 25]), -1, 0),
            SUMS,
            least={"z": 3},
        ),
        Check(
            "interpolate",
            "interpolate(a, z, z, levels=[15, 28, 1000])",
            lambda v: np.moveaxis(interpolated(v.a, v.z[:, None, None], levels, left=np.nan, right=np.nan), -1, 0),
            SUMS,
            least={"z": 2},
        ),
        Check(
            "interpolate",
            'interpolate(a, h, z, levels=[0.5, 2, 30], extrapolate="nearest")',
            lambda v: np.moveaxis(interpolated(v.a, v.h, [0.5, 2, 30]), -1, 0),
            1e-12,
            least={"z": 2},
        ),
        Check("spectrum", "spectrum(a, x)", lambda v: spectrum_along(v.a, 2), 1e-12),
        Check("spectrum", "spectrum(a, y)", lambda v: spectrum_along(v.a, 1), 1e-12),
        Check("spectrum", "sum(spectrum(a, y, x), wavenumber)", lambda v: np.mean(v.a**2, axis=(1, 2)), 1e-12),
        Check("regions", "regions(b > 1.2)", lambda v: label(condition(v))),
        Check("regions", "regions(b > 1.2, y, x)", lambda v: over_levels(label)(condition(v))),
        Check(
            "region_count",
            "region_count(b > 1.2, y, x)",
            lambda v: [ndimage.label(level)[1] for level in condition(v)],
        ),
        Check(
            "region_label",
            "region_label(b > 1.2, y, x, max=12)",
            lambda v: of_regions(lambda values, labels, index: index, 12)(condition(v), v.a),
        ),
        Check("region_size", "region_size(b > 1.2, y, x, max=9)", lambda v: of_regions(number, 9)(condition(v), v.a)),
        Check(
            "region_sum",
            "region_sum(b > 1.2, a, y, x, max=12)",
            lambda v: of_regions(ndimage.sum, 12)(condition(v), v.a),
            SUMS,
        ),
        Check(
            "region_mean",
            "region_mean(b > 1.2, a, y, x, max=12)",
            lambda v: of_regions(ndimage.mean, 12)(condition(v), v.a),
            SUMS,
        ),
        Check(
            "region_min",
            "region_min(b > 1.2, a, y, x, max=12)",
            lambda v: of_regions(ndimage.minimum, 12)(condition(v), v.a),
        ),
        Check(
            "region_max",
            "region_max(b > 1.2, a, y, x, max=12)",
            lambda v: of_regions(ndimage.maximum, 12)(condition(v), v.a),
        ),
        Check(
            "region_centroid",
            'region_centroid(b > 1.2, y, x, along="x", max=12)',
            lambda v: of_regions(
                lambda values, labels, index: [
                    place[1] for place in ndimage.center_of_mass(np.ones_like(labels), labels, index)
                ],
                12,
            )(condition(v), v.a),
            SUMS,
        ),
    ]


def all_checks() -> list[Check]:
    tracks = Check("track", "track(b > 1.2)", tracked)
    return [*elementwise(), *reductions(), *kernels(), tracks]


def checked_expressions() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for check in all_checks():
        found.setdefault(check.operator, []).append(check.expression)
    return found
