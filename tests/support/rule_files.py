"""The files of the cases: each field has a variable, and each calendar and kind of times a dim of time."""

import cftime
import netCDF4
import numpy as np

from support.rule_axes import CALENDARS
from support.rule_cases import SHAPES, Case, coefficients, file_levels


def write_case(data: netCDF4.Dataset, case: Case) -> None:
    if case.has_time and case.time_dim not in data.dimensions:
        write_axis(data, case)
    extents = dict(zip(case.dims, case.records.shape if case.has_time else case.records.shape[1:], strict=True))
    for dim, extent in extents.items():
        if dim not in data.dimensions:
            data.createDimension(dim, extent)
    variable = data.createVariable(case.name, case.records.dtype, case.dims)
    variable.units = "K"
    variable[...] = case.records if case.has_time else case.records[0]
    if case.vertical:
        write_levels(data, case)


def write_axis(data: netCDF4.Dataset, case: Case) -> None:
    axis, name = case.axis, case.time_dim
    units = f"{('hours', 'seconds', 'minutes')[CALENDARS.index(case.calendar) % 3]} since 1980-01-01"
    if case.axis_name == "gaps":
        units = "days since 1999-01-01 00:00:00"

    def numbers(dates) -> np.ndarray:
        known = [cftime.datetime(*date, calendar=case.calendar) for date in dates]
        return np.array(cftime.date2num(known, units, case.calendar), "f8")

    data.createDimension(name, len(axis.dates))
    time = data.createVariable(name, "f8", (name,))
    time.units, time.calendar = units, case.calendar
    time[:] = numbers(axis.dates)
    if axis.bounds:
        if "two" not in data.dimensions:
            data.createDimension("two", 2)
        time.setncattr("climatology" if axis.is_climatology else "bounds", f"{name}_bounds")
        bounds = data.createVariable(f"{name}_bounds", "f8", (name, "two"))
        bounds[:] = np.stack([numbers(one) for one in zip(*axis.bounds, strict=True)], axis=1)


def write_levels(data: netCDF4.Dataset, case: Case) -> None:
    n, name = case.number, f"lev{case.number}"
    levels = data.createVariable(name, "f8", (name,))
    if "hybrid" not in case.vertical.order:
        levels.setncatts({"units": "Pa", "standard_name": "air_pressure", "positive": "down"})
        levels[:] = file_levels(case)[(0, slice(None), *[0] * (len(SHAPES[case.grid]) - 1))]
        return
    ap, b = coefficients(case)
    levels[:] = b
    kind, terms = {
        "air": ("hybrid_sigma_pressure", f"ap: ap{n} b: b{n} ps: ps{n}"),
        "ico": ("hybrid_sigma_pressure", f"a: ap{n} b: b{n} p0: p0{n} ps: ps{n}"),
        "wide": ("sigma", f"sigma: {name} ptop: top{n} ps: ps{n}"),
    }[case.grid]
    levels.setncatts({"standard_name": f"atmosphere_{kind}_coordinate", "formula_terms": terms, "units": "1"})
    surface = data.createVariable(f"ps{n}", "f8", tuple(dim for dim in case.dims if dim != name))
    surface.units = "hPa"
    surface[...] = case.surface if case.has_time else case.surface[0]
    if case.grid == "wide":
        top = data.createVariable(f"top{n}", "f8", ())
        top.units, top[...] = "hPa", 10.0
        return
    data.createVariable(f"b{n}", "f8", (name,))[:] = b
    data.createVariable(f"ap{n}", "f8", (name,))[:] = ap if case.grid == "air" else ap / 1e5
    if case.grid == "air":
        data[f"ap{n}"].units = "Pa"
        return
    reference = data.createVariable(f"p0{n}", "f8", ())
    reference.units, reference[...] = "Pa", 1e5
