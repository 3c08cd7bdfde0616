"""`tailrace check` opens the files of input: the times that they cover, what is read a day, and what cannot work."""

import json
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.harness import tailrace

LAT, LON, LEVELS = 5, 7, 3
UNITS = "days since 2026-01-01"


def make(path: Path, times, *, name="tos", units=UNITS, calendar="noleap", dims=("time", "lat", "lon"), bounds=None):
    """A file with one variable of float32."""
    shapes = {"time": None, "lat": LAT, "lon": LON, "lev": LEVELS, "member": 4}
    path.parent.mkdir(exist_ok=True)
    with netCDF4.Dataset(path, "w") as data:
        for dim in dims:
            data.createDimension(dim, shapes[dim])
        if "time" in dims:
            axis = data.createVariable("time", "f8", ("time",))
            axis.units, axis.calendar = units, calendar
            axis[:] = times
        for dim, values, of in [
            ("lat", np.linspace(-60, 60, LAT), "degrees_north"),
            ("lon", np.linspace(0, 300, LON), "degrees_east"),
        ]:
            coordinate = data.createVariable(dim, "f8", (dim,))
            coordinate[:], coordinate.units = values, of
        if bounds is not None:
            data.createDimension("two", 2)
            axis.bounds = "time_bounds"
            data.createVariable("time_bounds", "f8", ("time", "two"))[:] = bounds
        variable = data.createVariable(name, "f4", dims)
        variable.units = "K"
        variable[:] = np.zeros([len(times) if dim == "time" else shapes[dim] for dim in dims])


def check(folder: Path, entries: str, *arguments: str, time="{calendar: noleap, start: 2026-01-01}"):
    (folder / "run.yaml").write_text(f"tailrace: 1\nmodel_time: {time}\ninput:\n{entries}")
    return tailrace("check", "run.yaml", *arguments, cwd=folder)


def lines_of(done) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [line.strip(" │├└─") for line in done.stdout[done.stdout.index("input of") :].splitlines()]


def test_what_the_files_of_a_template_cover(tmp_path):
    first, second = np.arange(31) + 0.5, np.arange(31, 59) + 0.5
    make(tmp_path / "forcing" / "sst_202602.nc", second)
    make(tmp_path / "forcing" / "sst_202601.nc", first)
    lines = lines_of(
        check(
            tmp_path,
            "  forcing:\n    files: forcing/sst_{time:%Y%m}.nc\n    lead: 3 d\n"
            "    fields:\n      sst: {variable: tos, time: {rule: linear, before: hold}}\n",
        )
    )
    record = LAT * LON * 4
    assert lines == [
        f"input of 1 field: {record} B a day of model time; the servers hold up to {5 * record} B",
        "forcing: 2 files, forcing/sst_202601.nc to forcing/sst_202602.nc, read 3 d ahead, on trouble: stop",
        "sst: tos(time, lat, lon) of float, 59 records from 2026-01-01T12:00:00 to 2026-02-28T12:00:00, one in 1 d, "
        f"{record} B each; {record} B a day of model time",
    ]


def test_gaps_and_a_late_beginning_are_shown(tmp_path):
    make(tmp_path / "a.nc", [1.0, 1.25, 1.5, 4.0, 4.25])
    lines = lines_of(check(tmp_path, "  a: {files: a.nc, fields: {sst: {variable: tos}}}\n"))
    assert "5 records from 2026-01-02T00:00:00 to 2026-01-05T06:00:00, one in 6 h" in lines[2]
    assert lines[3:] == [
        "warning: run.yaml:4:29: at the start of the run a value is needed at 2026-01-01T00:00:00, but the first "
        "record begins at 2026-01-02T00:00:00",
        "no records from 2026-01-02T12:00:00 to 2026-01-05T00:00:00",
    ]


def test_a_gap_names_the_files_that_are_not_there(tmp_path):
    for day in (1, 2, 5):
        make(tmp_path / f"a_2026010{day}.nc", day - 1 + np.arange(4) / 4)
    entry = '  a: {files: "a_{time:%Y%m%d}.nc", fields: {sst: {variable: tos}}}\n'
    gap = "no records from 2026-01-02T18:00:00 to 2026-01-05T00:00:00"
    assert lines_of(check(tmp_path, entry))[3:] == [f"{gap}: there is no file a_20260103.nc, and none of 1 more"]
    make(tmp_path / "a_20260103.nc", [2.0])
    later = "no records from 2026-01-03T00:00:00 to 2026-01-05T00:00:00"
    # The third day has a file, though with one record.
    assert f"{later}: there is no file a_20260104.nc" in lines_of(check(tmp_path, entry))


def test_intervals_are_those_of_the_bounds(tmp_path):
    edges = np.array([0.0, 31.0, 59.0, 90.0])
    make(tmp_path / "a.nc", (edges[1:] + edges[:-1]) / 2, bounds=np.stack([edges[:-1], edges[1:]], axis=1))
    lines = lines_of(check(tmp_path, "  a: {files: a.nc, fields: {sst: {variable: tos, time: mean_preserving}}}\n"))
    assert "3 records from 2026-01-01T00:00:00 to 2026-04-01T00:00:00, one in " in lines[2]
    assert len(lines) == 3


def test_a_single_record_and_a_member_are_read_once(tmp_path):
    make(tmp_path / "z.nc", [], name="z", dims=("member", "lat", "lon"))
    lines = lines_of(check(tmp_path, "  a: {files: z.nc, fields: {z: {time: none, select: {member: 3}}}}\n"))
    assert lines[0] == f"input of 1 field: {LAT * LON * 4} B once; the servers hold up to {LAT * LON * 4} B"


REFUSED = {
    "a file": (
        "  a: {files: sts.nc, fields: {sst: {variable: tos}}}\n",
        ['run.yaml:4:14  input.a.files: there is no file sts.nc; the working directory has no "sts.nc".'],
    ),
    "a variable": (
        "  a: {files: sst.nc, fields: {sst: {variable: tso}, u: {variable: tos}}}\n",
        ["run.yaml:4:31  input.a.fields.sst: sst.nc: variable tso: there is no variable tso.", 'Did you mean "tos"?'],
    ),
    "no file of a model": (
        "  a: {files: text.nc, fields: {sst: {variable: tos}}}\n",
        ["run.yaml:4:14  input.a.files: text.nc: cannot open it: NetCDF: Unknown file format"],
    ),
    "a rule": (
        "  a: {files: sst.nc, fields: {sst: {variable: tos, time: none}}}\n",
        ["run.yaml:4:31  input.a.fields.sst: variable tos: there are 3 records, but `time: none` expects one"],
    ),
    "bounds": (
        "  a: {files: sst.nc, fields: {sst: {variable: tos, time: mean_preserving}}}\n",
        ["run.yaml:4:31  input.a.fields.sst: variable tos: the time axis has no bounds"],
    ),
    "a member": (
        "  a: {files: sst.nc, fields: {sst: {variable: tos, select: {membre: 0}}}}\n",
        ["run.yaml:4:31  input.a.fields.sst: sst.nc: variable tos: `select` names the dim membre"],
    ),
    "all at once": (
        "  a: {files: sst.nc, fields: {x: {}, y: {}}}\n  b: {files: gone.nc, fields: {z: {}}}\n",
        ["run.yaml:4:31  input.a.fields.x:", "run.yaml:4:38  input.a.fields.y:", "run.yaml:5:14  input.b.files:"],
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_work_is_refused(tmp_path, what):
    entries, pieces = REFUSED[what]
    make(tmp_path / "sst.nc", [0.0, 1.0, 2.0])
    (tmp_path / "text.nc").write_text("no netCDF\n")
    done = check(tmp_path, entries)
    assert done.returncode == 2
    for piece in pieces:
        assert piece in done.stderr
    assert "Traceback" not in done.stderr


def test_names_that_wait_for_options_are_left_out(tmp_path):
    lines = lines_of(check(tmp_path, '  a: {files: "{case}.nc", fields: {sst: {}}}\n'))
    assert lines[1].startswith("a: files whose names the model's options complete")
    make(tmp_path / "warm.nc", [0.0, 1.0], name="sst")
    lines = lines_of(check(tmp_path, '  a: {files: "{case}.nc", fields: {sst: {}}}\n', "-D", "case=warm"))
    assert lines[1].startswith("a: warm.nc, read 2 records ahead")


def test_files_that_a_job_may_wait_for_need_not_be_there(tmp_path):
    entries = "  a: {files: a.nc, wait_for: 2 h, fields: {sst: {variable: tos}}}\n"
    lines = lines_of(check(tmp_path, entries))
    assert lines[1].startswith("a: files that are not there yet")
    assert lines[2].startswith("warning: run.yaml:4:14: there is no file a.nc;")
    assert lines[2].endswith("; the job waits for 2 h")
    make(tmp_path / "a.nc", [0.0, 1.0])
    assert lines_of(check(tmp_path, entries))[1].startswith("a: a.nc")


def test_xarray_tells_the_same_of_a_file(tmp_path):
    make(tmp_path / "a.nc", [0.0, 1.0])
    of = {
        source: check(tmp_path, f"  a: {{files: a.nc, source: {source}, fields: {{sst: {{variable: tos}}}}}}\n")
        for source in ("netcdf", "xarray")
    }
    assert lines_of(of["xarray"]) == lines_of(of["netcdf"])


def declare(folder: Path, *inputs: dict, levels: list[float] | None = None, in_parts: bool = False) -> str:
    """The declarations of a model with these inputs on a grid of the files' cells. `in_parts`: each rank gave
    coordinates of its own cells, so nobody else knows them."""
    coordinates = [
        {"name": "lat", "dims": ["lat"], "units": "degrees_north", "values": list(np.linspace(-60, 60, LAT))},
        {"name": "lon", "dims": ["lon"], "units": "degrees_east", "values": list(np.linspace(0, 300, LON))},
    ]
    dims, shape = ["lat", "lon"], [LAT, LON]
    if levels:
        dims, shape = ["z", *dims], [len(levels), *shape]
        coordinates.append({"name": "z", "dims": ["z"], "units": "m", "values": levels})
    if in_parts:
        for number, one in enumerate(coordinates, len(inputs)):
            del one["values"]
            one |= {"dims": dims, "field": number}
    filled = [{"standard_name": "", "long_name": "", "attributes": {}} | one for one in coordinates]
    grid = {"name": "air", "kind": "block", "dims": dims, "shape": shape, "coordinates": filled}
    grid["ranks"] = [{"count": shape, "offset": [0] * len(shape)}]
    common = {"grid": "air", "type": "float32", "units": "degC", "input": True}
    fields = [common | {"standard_name": "", "long_name": "", "attributes": {}} | one for one in inputs]
    if in_parts:
        static = {"grid": "air", "type": "float64", "units": "degrees", "static": True, "attributes": {}}
        fields += [static | {"name": name, "standard_name": "", "long_name": ""} for name in ("lat", "lon")]
    head = {"schema": "tailrace-declared", "version": 1}
    declared = head | {"component": "model", "options": {}, "grids": [grid], "fields": fields}
    (folder / "declared.json").write_text(json.dumps(declared))
    return str(folder / "declared.json")


def test_with_declarations_records_have_the_size_in_which_they_travel(tmp_path):
    """In float64 where they are converted and interpolated, otherwise in the model's float32."""
    make(tmp_path / "a.nc", [0.0, 0.5, 1.0])
    make(tmp_path / "b.nc", [0.0, 0.5, 1.0], name="u")
    declared = declare(tmp_path, {"name": "sst"}, {"name": "u", "units": "K"})
    lines = lines_of(
        check(
            tmp_path,
            "  a: {files: a.nc, lead: 1, fields: {sst: {variable: tos, missing: 0, narrow: true}}}\n"
            "  b: {files: b.nc, lead: 12 h, fields: {u: {missing: keep, time: previous}}}\n",
            "--declared",
            declared,
        )
    )
    record = LAT * LON
    times = "3 records from 2026-01-01T00:00:00 to 2026-01-02T00:00:00, one in 12 h"
    total = f"{(2 * 8 + 2 * 4) * record} B a day of model time; the servers hold up to {3 * 12 * record / 1024:.4g} KiB"
    assert lines == [
        f"input of 2 fields: {total}",
        "a: a.nc, read 1 record ahead, on trouble: stop",
        f"sst: tos, {times}, {8 * record} B each; {2 * 8 * record} B a day of model time",
        "b: b.nc, read 12 h ahead, on trouble: stop",
        f"u: u, {times}, {4 * record} B each; {2 * 4 * record} B a day of model time",
    ]


def test_with_declarations_what_the_model_does_not_get_is_left_out(tmp_path):
    make(tmp_path / "a.nc", [0.0, 1.0])
    declared = declare(tmp_path, {"name": "sst", "units": "K"})
    entries = "  a: {files: a.nc, fields: {sst: {variable: tos}, tos: {}}}\n  b: {files: gone.nc, fields: {ice: {}}}\n"
    done = check(tmp_path, entries, "--declared", declared)
    assert [line.split(":")[0] for line in lines_of(done)] == ["input of 1 field", "a", "sst"]
    for place, name in (("4:51", "tos"), ("5:32", "ice")):
        assert (
            f"run.yaml:{place}  input.{'ab'[name == 'ice']}.fields.{name}: the model declares no input" in done.stdout
        )


def test_with_declarations_what_does_not_fit_the_model_is_refused(tmp_path):
    make(tmp_path / "a.nc", [0.0, 1.0], dims=("time", "lev", "lat", "lon"))
    make(tmp_path / "b.nc", [0.0, 1.0], name="u")
    declared = declare(tmp_path, {"name": "sst"}, {"name": "u", "units": "m s-1"})
    done = check(
        tmp_path,
        "  a: {files: a.nc, fields: {sst: {variable: tos}}}\n  b: {files: b.nc, fields: {u: {}}}\n",
        "--declared",
        declared,
    )
    assert done.returncode == 2
    assert "run.yaml:4:29  input.a.fields.sst: a.nc: variable tos: " in done.stderr
    assert "run.yaml:5:29  input.b.fields.u: b.nc: variable u: " in done.stderr
    assert "lev" in done.stderr and "m s-1" in done.stderr


def test_with_declarations_an_input_that_nothing_provides_is_refused(tmp_path):
    make(tmp_path / "a.nc", [0.0, 1.0])
    declared = declare(tmp_path, {"name": "sst"}, {"name": "ozone"})
    done = check(tmp_path, "  a: {files: a.nc, fields: {sst: {variable: tos}}}\n", "--declared", declared)
    assert done.returncode == 2
    assert 'the model needs the input "ozone", and no entry of `input` provides it.' in done.stderr


def test_cells_of_files_without_bounds_are_refused_before_the_ranks_tell_theirs(tmp_path):
    """Those of the model's shape may be the model's, so they pass."""
    for name, shape in (("same", (LAT, LON)), ("other", (LAT + 1, LON))):
        with netCDF4.Dataset(tmp_path / f"{name}.nc", "w") as data:
            for dim, extent in zip(("time", "y", "x"), (1, *shape), strict=True):
                data.createDimension(dim, extent)
            data.createVariable("time", "f8", ("time",))[:] = 0.0
            data["time"].units = "days since 2026-01-01"
            places = np.meshgrid(np.linspace(-60, 60, shape[0]), np.linspace(0, 300, shape[1]), indexing="ij")
            for place, values, way in zip(("lat", "lon"), places, ("north", "east"), strict=True):
                data.createVariable(place, "f8", ("y", "x"))[:] = values
                data[place].units = f"degrees_{way}"
            data.createVariable("tos", "f4", ("time", "y", "x"))[:] = np.zeros((1, *shape))
            data["tos"].setncatts({"units": "degC", "coordinates": "lat lon"})
    declared = declare(tmp_path, {"name": "sst"}, in_parts=True)
    entry = "  a: {files: FILE, fields: {sst: {variable: tos, regrid: {method: conservative}}}}\n"
    done = check(tmp_path, entry.replace("FILE", "other.nc"), "--declared", declared)
    assert done.returncode == 2
    assert "run.yaml:4:33  input.a.fields.sst: other.nc: variable tos: the method `conservative`" in done.stderr
    assert "and the grid of the file has no bounds" in done.stderr
    done = check(tmp_path, entry.replace("FILE", "same.nc"), "--declared", declared)
    assert done.returncode == 0, done.stderr
