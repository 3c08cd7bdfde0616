"""Runs the programs of igcm/kernels on exchange files, and compares bits."""

import os
import subprocess

import netCDF4
import numpy as np
import pytest
from support.harness import BUILD

KERNELS = BUILD / "igcm" / "kernels"
TOLERANCE = 2e-14  # of a field's maximum, for fast builds


def write(path, arrays, attributes):
    with netCDF4.Dataset(path, "w") as file:
        file.setncatts(attributes)
        for name, values in arrays.items():
            for length in values.shape:
                if f"n{length}" not in file.dimensions:
                    file.createDimension(f"n{length}", length)
            file.createVariable(name, values.dtype, [f"n{length}" for length in values.shape])[:] = values


def read(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        arrays = {name: variable[:] for name, variable in file.variables.items()}
        return arrays, {name: file.getncattr(name) for name in file.ncattrs()}


def run(build, program, *options, threads=2):
    path = KERNELS / build / program
    if not path.exists():
        pytest.fail(f"{path} is not built: run ./quickstart build")
    command = [str(path), *map(str, options)]
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def run_on(tmp_path, build, language, program, arrays, attributes, *options):
    """The program's results on these arrays; its report."""
    source, target = tmp_path / "in.nc", tmp_path / f"{build}_{language}.nc"
    if not source.exists():
        write(source, arrays, attributes)
    report = run(build, program, "--input", source, "--output", target, "--language", language, *options)
    result, found = read(target)
    assert found["kernel"] == attributes["kernel"] and found["source"] == str(source)
    return result, report


def assert_same_bits(got, expected):
    assert list(got) and set(got) == set(expected)
    for name, values in expected.items():
        assert got[name].shape == values.shape and got[name].dtype == values.dtype, name
        one, other = np.ascontiguousarray(got[name]), np.ascontiguousarray(values)
        bits = f"u{values.dtype.itemsize}"
        differ = (one.view(bits) != other.view(bits)) & ~(np.isnan(one) & np.isnan(other))
        places = np.argwhere(differ)
        assert not differ.any(), (
            f"{name}: {len(places)} differ, first at {places[0]}: {one[differ][0]!r} for {other[differ][0]!r}"
        )


def assert_near(got, expected, tolerance=TOLERANCE):
    assert set(got) == set(expected)
    for name, values in expected.items():
        finite = np.isfinite(values)
        assert np.array_equal(np.isfinite(got[name]), finite), name
        assert np.array_equal(got[name][~finite], values[~finite], equal_nan=True), name
        scale = np.abs(values[finite]).max(initial=0)
        difference = np.abs(got[name][finite] - values[finite]).max(initial=0)
        assert difference <= tolerance * scale, f"{name}: {difference} of {scale}, {difference / scale:.1e}"
