"""Names and metadata of fields from a YAML file: in files, in expressions, and invalid ones."""

import netCDF4
import pytest
import yaml
from support.harness import block_grid, field, inline, model, servers, tailrace

SHAPE = (3, 5, 7)
GRID = block_grid("les", SHAPE)
FIELDS = [
    field("t2m", "les", units=""),
    field("phys.precip", "les", units="kg/m2/s", standard_name="rainfall_flux", long_name="of the model"),
    field("w", "les", units="m s-1", long_name="of the model"),
]
TIMES = [10.0, 20.0, 30.0]
NAMES = {
    "t2m": {
        "standard_name": "air_temperature",
        "long_name": "near the ground",
        "units": "K",
        "attributes": {"level": 2},
    },
    "precip": {"standard_name": "precipitation_flux", "units": "kg m-2 s-1"},
    "w": "upward_air_velocity",
    "of_another_model": {"standard_name": "sea_surface_temperature"},
}


def run(job, names, serving=None, section="../names.yaml", **more):
    if names is not None:
        (job.root / "names.yaml").write_text(
            names if isinstance(names, str) else yaml.safe_dump(names, sort_keys=False)
        )
    config = {"names": section} | {
        "fields": {"all": {"every": "1 step", "names": ["t2m", "phys.precip", "w"]}},
        "output": {"a.nc": {"defaults": {"every": "10 s"}, "variables": [{"fields": "*"}]}},
    }
    return job(model(2, grids=[GRID], fields=FIELDS, times=TIMES), serving or inline(), config=config | more)


def attributes(path, name):
    with netCDF4.Dataset(path) as data:
        found = {key: data[name].getncattr(key) for key in data[name].ncattrs()}
    return {key: found[key] for key in found if key not in ("_FillValue", "cell_methods", "coordinates")}


@pytest.mark.parametrize("where", ["a file", "here", "two files, on servers"])
def test_fields_have_the_metadata_of_the_file(job, where):
    diagnostics = {"excess": {"is": "t2m - mean(t2m, z, y, x)"}}
    section, serving = {"a file": ("../names.yaml", None), "here": (NAMES, None)}.get(
        where, (["../names.yaml", "../more.yaml"], servers(2))
    )
    (job.root / "more.yaml").write_text("qv: specific_humidity\n")
    result = run(job, NAMES, serving, section=section, diagnostics=diagnostics).finished()
    path = result.path("a.nc")
    t2m = {"standard_name": "air_temperature", "long_name": "near the ground", "units": "K", "level": 2}
    assert attributes(path, "t2m") == t2m
    assert attributes(path, "precip") == NAMES["precip"] | {"long_name": "of the model"}
    wind = {"standard_name": "upward_air_velocity", "units": "m s-1", "long_name": "of the model"}
    assert attributes(path, "w") == wind
    assert attributes(path, "excess")["units"] == "K"  # expressions use the units
    assert "of_another_model" not in result.output


def test_a_typing_error_is_reported_once(job):
    result = run(job, {"t2n": "air_temperature"}, servers(2)).finished()
    assert result.output.count('../names.yaml:1:1  names.t2n: the model declares no field "t2n"') == 1, result.output
    assert 'Did you mean "t2m"?' in result.output


REFUSED = {
    "a key": ({"w": {"unit": "m s-1"}}, "names.yaml:2:3  names.w.unit", 'Did you mean "units"?'),
    "a list": ([1, 2], "names.yaml:1:1", "expected"),
    "no YAML": ("a: [", "names.yaml:", "this is not YAML"),
    "an attribute": ({"w": {"attributes": {"bounds": "x"}}}, "names.yaml:3:5", "names.w.attributes.bounds"),
    "no file": (None, "run.yaml:", "names: ", "names.yaml"),
}


def said(folder, names, section="names.yaml"):
    if names is not None:
        (folder / "names.yaml").write_text(names if isinstance(names, str) else yaml.safe_dump(names, sort_keys=False))
    (folder / "run.yaml").write_text(yaml.safe_dump({"tailrace": 1, "names": section}))
    done = tailrace("check", "run.yaml", cwd=folder)
    assert done.returncode == 2
    return done.stderr


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(tmp_path, case):
    names, *words = REFUSED[case]
    message = said(tmp_path, names)
    assert all(word in message for word in words), message


def test_units_that_are_not_those_of_the_model(job):
    expected = 'names.yaml:1:1  names.w: the model declares "w" in "m s-1", which is not "m"'
    run(job, {"w": {"units": "m"}}).failed_with(expected)


def test_a_field_in_two_files(tmp_path):
    (tmp_path / "more.yaml").write_text("\nw: upward_air_velocity\n")
    message = said(tmp_path, NAMES, ["names.yaml", "more.yaml"])
    assert "more.yaml:2:1  names.w: is given twice; the first is at names.yaml:" in message


def test_a_name_with_an_option_of_the_model(tmp_path):
    assert '"{case}" cannot be used here' in said(tmp_path, NAMES, "{case}.yaml")
