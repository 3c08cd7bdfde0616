"""Input that is regridded in whole jobs: the same bits for all participants, and what `tailrace check` tells."""

import re

import netCDF4
import numpy as np
from support.harness import attached, block_grid, inline, model, servers, tailrace
from support.input_regridding import boxes
from support.reading_inputs import got

LAT, LON = np.linspace(-85.0, 85.0, 18), np.arange(5.0, 360.0, 10.0)
SEA = {"lat": (-62.0, 14.4, 9), "lon": (-171.0, 13.3, 26)}  # first, spacing, count
# The bounds are in parts, too.
NEST = {"lat": (-21.0, 2.2, 11), "lon": (31.0, 1.7, 13), "more": {"vertices": 2}}
TIMES = [3600.0, 10800.0, 14400.0]
HOURS = np.arange(6.0)


def axis(of, name):
    first, spacing, count = of[name]
    return first + spacing * np.arange(count)


def grid(name, of, split=("lat", "lon")):
    coordinates = [
        {"name": dim, "units": f"degrees_{way}", "first": of[dim][0], "spacing": of[dim][1], "part": True}
        | of.get("more", {})
        for dim, way in (("lat", "north"), ("lon", "east"))
    ]
    return block_grid(name, (of["lat"][2], of["lon"][2]), split, coordinates, dims=("lat", "lon"))


def forcing(path):
    values = np.random.default_rng(8).normal(280, 10, (len(HOURS), len(LAT), len(LON)))
    with netCDF4.Dataset(path, "w") as data:
        for dim, axis, units in (
            ("time", HOURS, "hours since 2000-01-01"),
            ("lat", LAT, "degrees_north"),
            ("lon", LON, "degrees_east"),
        ):
            data.createDimension(dim, len(axis))
            data.createVariable(dim, "f8", (dim,))[:] = axis
            data[dim].units = units
        data.createVariable("tos", "f8", ("time", "lat", "lon"))[:] = values
        data["tos"].units = "K"
    return values


FIELDS = {"sst": {"variable": "tos"}, "sst_nest": {"variable": "tos", "regrid": {"coverage": 0.9}}}
INPUTS = [{"name": "sst", "grid": "sea", "units": "degC"}, {"name": "sst_nest", "grid": "nest", "units": "K"}]


def configuration(fields=FIELDS, **entry):
    return {
        "model_time": {"calendar": "standard", "start": "2000-01-01"},
        "regrid": {"cache": "weights"},
        "input": {"forcing": {"files": "forcing.nc", "regrid": {"method": "conservative"}, "fields": fields} | entry},
    }


def at(values, time):
    record = int(time // 3600)
    part = time / 3600 - record
    return values[record] * (1 - part) + values[record + 1] * part


PARTICIPANTS = {
    "one": (1, servers(1)),
    "two servers": (5, servers(2)),
    "attached": (3, attached()),
    "inline": (2, inline()),
}


def test_every_rank_gets_its_cells(job):
    """Two domains of a component from one variable, on any ranks and servers."""
    bits = {}
    for case, (ranks, serving) in PARTICIPANTS.items():
        folder = job.root / case
        folder.mkdir()
        values = forcing(folder / "forcing.nc")
        participant = model(ranks, grids=[grid("sea", SEA), grid("nest", NEST)], fields=[], inputs=INPUTS, times=TIMES)
        job(participant, serving, config=configuration(), folder=folder).finished()
        sea, nest = (got(folder, name, (of["lat"][2], of["lon"][2])) for name, of in (("sst", SEA), ("sst_nest", NEST)))
        bits[case] = sea.tobytes() + nest.tobytes()
    assert len(set(bits.values())) == 1
    for k, time in enumerate(TIMES, len(sea) - len(TIMES)):
        now = at(values, time)
        kelvin = boxes(now, LAT, LON, axis(SEA, "lat"), axis(SEA, "lon"))
        np.testing.assert_allclose(sea[k], kelvin - 273.15, rtol=0, atol=1e-11)
        np.testing.assert_allclose(nest[k], boxes(now, LAT, LON, axis(NEST, "lat"), axis(NEST, "lon")), rtol=1e-13)
    assert len(list((folder / "weights").iterdir())) == 2, "nothing but the weights of two grids"


def test_what_check_tells(job):
    forcing(job.root / "forcing.nc")
    (job.root / "run.yaml").write_text(
        "tailrace: 1\nmodel_time: {calendar: standard, start: 2000-01-01}\n"
        "input:\n  forcing:\n    files: forcing.nc\n    fields:\n"
        "      sst: {variable: tos, regrid: {method: bilinear}}\n"
    )
    done = tailrace("check", "run.yaml", cwd=job.root)
    assert done.returncode == 0, done.stderr
    assert "regridded from lat-lon 18 x 36 of the files to the cells of the model, bilinear" in done.stdout
    assert not (job.root / ".tailrace").exists(), "no weights are made"


def test_mistakes_in_regrid_of_an_input(job):
    forcing(job.root / "forcing.nc")
    for text, message in {
        "{method: bilinaer}": r'run.yaml:7:45  input.*sst.regrid.method: expected .* Did you mean "bilinear"',
        "{to: {healpix: {level: 3}}}": "input.forcing.fields.sst.regrid.to: this key is unknown",
        "{coverage: 1.5}": "input.forcing.fields.sst.regrid.coverage: expected .*1.5",
    }.items():
        (job.root / "run.yaml").write_text(
            "tailrace: 1\nmodel_time: {calendar: standard, start: 2000-01-01}\ninput:\n  forcing:\n"
            f"    files: forcing.nc\n    fields:\n      sst: {{variable: tos, regrid: {text}}}\n"
        )
        done = tailrace("check", "run.yaml", cwd=job.root)
        assert done.returncode != 0
        assert re.search(message, done.stderr), done.stderr
