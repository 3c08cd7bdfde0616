"""The messages of `tailrace check` for each kind of mistake: the place, the expectation, the nearest name."""

import os
import resource
import subprocess
import sys

import pytest
from support.harness import mpi_environment, tailrace

GOOD = """tailrace: 1
servers: {mode: dedicated, count: 2}
fields:
  state: {every: 1 step, names: [u, theta]}
groups:
  three_d: [u, theta]
output:
  out.nc:
    write_every: 100 s
    variables:
      - {field: theta, time: mean, every: 10 s}
      - {field: u, time: snapshot, every: 5 s}
"""

MISTAKES = {
    "unknown key": ("servers:", "server:", ["tailrace.yaml:2:1", "server", 'Did you mean "servers"?']),
    "unknown key inside": ("count: 2", "cuont: 2", ["tailrace.yaml:2:", "servers.cuont", 'Did you mean "count"?']),
    "wrong type": ("count: 2", "count: two", ["tailrace.yaml:2:", "servers.count", "expected", 'got "two"']),
    "wrong choice": ("dedicated", "dedicted", ['"dedicted" is unknown.', 'Did you mean "dedicated"?', "known:"]),
    "wrong reduction": ("time: mean", "time: avarage", ['"avarage" is unknown.', "known:", "mean", "snapshot"]),
    "unknown field": (
        "field: theta",
        "field: thta",
        ["tailrace.yaml:11:", '"thta" is neither listed under `fields`', 'Did you mean "theta"?'],
    ),
    "field in a group": ("[u, theta]\noutput", "[u, thetta]\noutput", ["groups.three_d", 'Did you mean "theta"?']),
    "unknown group": (
        "{field: u,",
        "{group: three_dd,",
        ["tailrace.yaml:12:", '"three_dd" is not among the `groups`.', 'Did you mean "three_d"?'],
    ),
    "both field and group": ("{field: u,", "{field: u, group: three_d,", ["tailrace.yaml:12:", "field", "group"]),
    "a slip in cmip": ("{field: u,", "{field: u, cmpi: Amon/ua,", ["variables[1].cmpi", 'Did you mean "cmip"?']),
    "tables that are not given": (
        "{field: u,",
        "{field: u, cmip: Amon/ua,",
        ["tailrace.yaml:12:", "variables[1].cmip: expected the tables", '"Amon"', "`cmip: {tables: ...}`"],
    ),
    "a mean of what comes once": (
        "names: [u, theta]}",
        "names: [u]}\n  fixed: {every: once, names: [theta]}",
        ["tailrace.yaml:12:", 'variables[0].operation: "theta" is sent only once, so only a snapshot can be taken'],
    ),
    "a slip in time_attributes": (
        "write_every: 100 s",
        "time_atributes: {long_name: t}",
        ["tailrace.yaml:9:5  output.out.nc.time_atributes", 'Did you mean "time_attributes"?'],
    ),
    "units of time": (
        "write_every: 100 s",
        "time_attributes: {units: days since 1950-01-01}",
        ["tailrace.yaml:9:23  output.out.nc.time_attributes.units: is written automatically, from `model_time`"],
    ),
    "no such turn": ("every: 10 s}", "each: mnth}", ["variables[0].each", 'Did you mean "month"?']),
    "no such stamp": ("write_every: 100 s", "time_stamp: midle", ["out.nc.time_stamp", 'Did you mean "middle"?']),
    "no such missing": ("every: 10 s}", "every: 10 s, missing: skp}", ["[0].missing", 'Did you mean "skip"?']),
    "a slip in pack": (
        "every: 10 s}",
        "every: 10 s, pack: {scale_facto: 2}}",
        ["variables[0].pack.scale_facto", 'Did you mean "scale_factor"?'],
    ),
    "a mask of no field": (
        "servers:",
        "grids: {les: {mask: thta}}\nservers:",
        ["tailrace.yaml:2:", "grids.les.mask", "thta", 'Did you mean "theta"?'],
    ),
    "not whether it takes what is missing": (
        "servers:",
        "operators: {f: {library: ./f.so, takes_missing: maybe}}\nservers:",
        ["tailrace.yaml:2:", "operators.f.takes_missing", '"maybe"'],
    ),
    "stations and trajectories": (
        "write_every: 100 s",
        "stations: {points: {H: {lat: 1, lon: 2}}}\n    trajectories: {file: ship.csv}",
        ["tailrace.yaml:", "trajectories", "ship.csv"],
    ),
    "a slip in trajectories": (
        "write_every: 100 s",
        "trajectory: {file: ship.csv}",
        ["tailrace.yaml:9:5  output.out.nc.trajectory", 'Did you mean "trajectories"?'],
    ),
    "a slip in names": (
        "servers:",
        "name: {}\nservers:",
        ["tailrace.yaml:2:1  name: this key", 'Did you mean "names"?'],
    ),
    "a slip in a name's words": (
        "servers:",
        "names: {u: {standard_nmae: eastward_wind}}\nservers:",
        ["tailrace.yaml:2:13  names.u.standard_nmae", 'Did you mean "standard_name"?'],
    ),
    "names that are a number's list": ("servers:", "names: []\nservers:", ["names: expected at least 1 entry"]),
    "names that are nowhere": ("servers:", "names: names.yaml\nservers:", ["tailrace.yaml:2:8  names:", "names.yaml"]),
    "defaults without variables": (
        "{field: u, time: snapshot,",
        "{field: u, time: snapshot, defaults: {type: int8},",
        ["variables[1].defaults: is for `variables` below it"],
    ),
    "an option beside variables": (
        "{field: u, time: snapshot, every: 5 s}",
        "{type: int8, variables: [{field: u, every: 5 s}]}",
        ["variables[1].type: cannot be given beside `variables`", "under `defaults`"],
    ),
    "a slip in a group's defaults": (
        "{field: u, time: snapshot, every: 5 s}",
        "{defaults: {tpye: int8}, variables: [{field: u, every: 5 s}]}",
        ["variables[1].defaults.tpye", 'Did you mean "type"?'],
    ),
    "no such period": ("every: 10 s", "every: 10 parsecs", ["tailrace.yaml:11:", "parsecs", "known:"]),
    "period without calendar": (
        "every: 10 s",
        "every: 1 month",
        ["tailrace.yaml:11:", "no step can meet", "every month", "`model_time.calendar` is none"],
    ),
    "offset of another kind": (
        "every: 10 s}",
        "every: 10 s, offset: 2 steps}",
        ["tailrace.yaml:11:", "variables[0].offset", "cannot have an offset of 2 steps", "a length of time"],
    ),
    "not an offset": ("every: 10 s}", "every: 10 s, offset: -5 sceonds}", ["offset", '"sceonds" is unknown', "known:"]),
    "a date without a calendar": (
        "write_every: 100 s",
        "until: 2026-03-01",
        ["tailrace.yaml:9:", "output.out.nc.until", "`model_time.calendar` is none", "such as `6 h`"],
    ),
    "not a date": ("write_every: 100 s", "from: soon", ["output.out.nc.from", "expected a date", '"soon"']),
    "a mistake in defaults, once": (
        "write_every: 100 s",
        "defaults: {type: float16}",
        ["tailrace.yaml:9:22  output.out.nc.defaults.type", '"float16" is unknown', "known:"],
    ),
    "a slip in if_exists": (
        "write_every: 100 s",
        "if_exists: relpace",
        ["tailrace.yaml:9:16  output.out.nc.if_exists", 'Did you mean "replace"?'],
    ),
    "append to what is no file": (
        "write_every: 100 s",
        'if_exists: append\n    format: "null"',
        ["tailrace.yaml:9:16  output.out.nc.if_exists", 'format "null" goes on with no file of an earlier run'],
    ),
    "a slip in a limit": (
        "out.nc:",
        '"out_{strat:%Y}.nc":',
        ["tailrace.yaml:8:3", '"strat" has one', 'Did you mean "start"?'],
    ),
    "a date without a calendar in a name": (
        "out.nc:",
        '"out_{start:%Y}.nc":',
        ["tailrace.yaml:8:3", "`model_time.calendar` is none", "expected `{start}` or `{end}` alone"],
    ),
    "an end that nobody knows": ("out.nc:", '"out_{end}.nc":', ["tailrace.yaml:8:3", "expected `new_file_every`"]),
    "new files twice": (
        "write_every: 100 s",
        "file_per_write: true\n    new_file_every: 20 s",
        ["tailrace.yaml:10:21  output.out.nc.new_file_every", "expected only one"],
    ),
    "if_exists and its former name": (
        "write_every: 100 s",
        "if_exists: fail\n    overwrite: false",
        ["tailrace.yaml:10:5  output.out.nc.overwrite: is now called `if_exists`", "expected only one"],
    ),
    "an operation twice": ("time: mean", "time: mean, operation: max", ["is another name of `operation`", "only one"]),
    "a group within itself": ("three_d: [u, theta]", "three_d: [u, three_d]", ["contains itself", "three_d, three_d"]),
    "a pattern of nothing": ("field: u,", 'fields: "x*",', ["tailrace.yaml:12:", 'is like "x*"']),
    "an input without files": (
        "groups:\n  three_d: [u, theta]",
        "input: {a: {fields: {sst: {}}}}",
        ['tailrace.yaml:5:12  input.a: "files" is missing'],
    ),
    "a variable of input": (
        "groups:\n  three_d: [u, theta]",
        "input: {a: {files: a.nc, fields: {sst: {varible: tos}}}}",
        ["tailrace.yaml:5:41  input.a.fields.sst.varible", 'Did you mean "variable"?'],
    ),
    "not yet of a file": ("write_every: 100 s", "state: io", ["output.out.nc.state: is not available yet"]),
    "a format": ("write_every: 100 s", "format: zar", ['"zar" is unknown. Did you mean "zarr"?']),
    "other version": ("tailrace: 1", "tailrace: 7", ["tailrace.yaml:1:", "version 1", '"7"']),
    "same file twice": (
        "output:\n",
        "output:\n  ./out.nc: {variables: [{field: u, time: mean, every: 10 s}]}\n",
        ["is the same file as"],
    ),
    "a key twice": ("write_every: 100 s", "write_every: 100 s\n    write_every: 10 s", ["is given twice"]),
    "not YAML": ("[u, theta]\noutput", "[u, theta\noutput", ["tailrace.yaml:", "(a `[` before this is not closed)"]),
    "a tab before a key": (
        "  three_d: [u",
        "\tthree_d: [u",
        ["tailrace.yaml:6:1  a tab indents this line, which YAML does not allow; expected spaces"],
    ),
    "a tab behind spaces": ("    write_every", "  \t write_every", ["tailrace.yaml:9:3  a tab indents this line"]),
    "a tab before an item": ("      - {field: u,", "\t- {field: u,", ["tailrace.yaml:12:1  a tab indents this line"]),
}


def check(folder, text: str, *arguments: str):
    (folder / "tailrace.yaml").write_text(text)
    return tailrace("check", "tailrace.yaml", *arguments, cwd=folder)


def test_tabs_elsewhere_are_no_mistake(tmp_path):
    text = GOOD.replace("count: 2", "count:\t2").replace("output:\n", "output:\t# of both\n\t\n\t# files\n")
    done = check(tmp_path, text)
    assert done.returncode == 0, done.stderr


def test_a_good_configuration_is_described(tmp_path):
    done = check(tmp_path, GOOD)
    assert done.returncode == 0, done.stderr
    for piece in ("out.nc", "theta", "mean", "every 10 s"):
        assert piece in done.stdout
    assert done.stderr == ""
    done = check(tmp_path, GOOD.replace("write_every: 100 s", "write_every: 100 s\n    new_file_every: 20 min"))
    assert "written every 100 s, on error: stop, a new file every 20 min" in done.stdout


@pytest.mark.parametrize("kind", MISTAKES)
def test_the_message_names_place_and_remedy(tmp_path, kind):
    old, new, pieces = MISTAKES[kind]
    assert old in GOOD
    done = check(tmp_path, GOOD.replace(old, new, 1))
    assert done.returncode == 2
    assert done.stderr.startswith("tailrace: error: ")
    assert "Traceback" not in done.stderr
    for piece in pieces:
        assert piece in done.stderr


def test_former_names_are_read_with_a_warning(tmp_path):
    text = GOOD.replace("write_every: 100 s", "write_every: 100 s\n    file_per_write: true")
    text += "model_time: {calendar: noleap, start: 2026-01-01}\n"
    now = check(tmp_path, text)
    before = check(tmp_path, text.replace("file_per_write", "series").replace("model_time", "time"))
    assert now.returncode == before.returncode == 0
    assert "calendar noleap, from 2026-01-01" in now.stdout
    assert "calendar noleap, from 2026-01-01" in before.stdout
    assert "warnings" not in now.stdout
    assert "tailrace.yaml:10:5  output.out.nc.series: is now called `file_per_write`" in before.stdout
    assert "tailrace.yaml:14:1  time: is now called `model_time`" in before.stdout


def test_all_mistakes_are_reported_together(tmp_path):
    text = (
        GOOD.replace("count: 2", "cuont: 2").replace("time: mean", "time: avarage").replace("100 s", "100 lightyears")
    )
    done = check(tmp_path, text)
    assert done.returncode == 2
    for piece in ("cuont", "avarage", "lightyears"):
        assert piece in done.stderr


LAUGHS = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10)
)


def hostile(kind: str, folder) -> str:
    """A configuration that would take unlimited time or memory; its included files are created in the folder."""
    if kind == "device":
        return GOOD + "include: [/dev/zero]\n"
    if kind == "pipe":
        os.mkfifo(folder / "pipe.yaml")
        return GOOD + "include: [pipe.yaml]\n"
    if kind == "50 MB":
        (folder / "large.yaml").write_text("# 50 MB of nothing\n" * 2_777_778)
        return GOOD + "include: [large.yaml]\n"
    texts = {
        "recursion": GOOD + "x: &a [*a, *a]\n",
        "recursive map": GOOD + "x: &a {y: *a, z: *a}\n",
        "laughs": GOOD + LAUGHS,
        "brackets": "[" * 1_000_000,
        "dashes": "- " * 1_000_000,
        "values": "- a\n" * 1_000_000,
        "one line": "x: [" + "a," * 2_000_000 + "]",
    }
    return texts[kind]


HOSTILE = {
    "device": ["tailrace.yaml:13:11", "/dev/zero is not a file with text"],
    "pipe": ["tailrace.yaml:13:11", "pipe.yaml is not a file with text"],
    "50 MB": ["tailrace.yaml:13:11", "has 52777782 bytes; a configuration has at most 4194304"],
    "recursion": ["tailrace.yaml:13:4", "is nested deeper than 64 levels"],
    "recursive map": ["tailrace.yaml:13:4", "is nested deeper than 64 levels"],
    "laughs": ["tailrace.yaml:1", "stands for more than 300000 values"],
    "brackets": ["tailrace.yaml:1:", "is nested deeper than 64 levels"],
    "dashes": ["tailrace.yaml:1:", "is nested deeper than 64 levels"],
    "values": ["tailrace.yaml:300000:3", "stands for more than 300000 values"],
    "one line": ["tailrace.yaml:1:", "stands for more than 300000 values"],
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_unlimited_time_or_memory_is_refused(tmp_path, kind):
    """With 256 MiB of memory; it takes less than a second, except on a busy machine."""
    (tmp_path / "tailrace.yaml").write_text(hostile(kind, tmp_path))
    done = subprocess.run(
        [sys.executable, "-m", "tailrace.cli", "check", "tailrace.yaml"],
        cwd=tmp_path,
        env=mpi_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (256 << 20, 256 << 20)),
    )
    assert done.returncode == 2, done.stderr[-2000:]
    for piece in HOSTILE[kind]:
        assert piece in done.stderr, done.stderr[:2000]
    assert len(done.stderr) < 2000


def test_another_encoding_is_refused_with_its_place(tmp_path):
    (tmp_path / "tailrace.yaml").write_bytes(GOOD.encode() + "title: café".encode("latin-1"))
    done = tailrace("check", "tailrace.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "tailrace.yaml:13:11  the byte 0xe9 is not UTF-8; save the file with this encoding" in done.stderr


@pytest.mark.parametrize("name", ["DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "_NCProperties"])
def test_attributes_of_the_format_are_refused_with_their_place(tmp_path, name):
    done = check(tmp_path, GOOD.replace("{field: theta,", f"{{field: theta, attributes: {{{name}: 1}},"))
    assert done.returncode == 2
    assert f"tailrace.yaml:11:37  output.out.nc.variables[0].attributes.{name}: is reserved: netCDF or" in done.stderr


def test_the_fill_value_is_not_an_attribute(tmp_path):
    done = check(tmp_path, GOOD.replace("{field: theta,", "{field: theta, attributes: {_FillValue: 1},"))
    assert done.returncode == 2
    assert "attributes._FillValue: is written automatically, from the `fill_value` of the field" in done.stderr


def test_attributes_that_refer_to_variables_are_refused(tmp_path):
    done = check(tmp_path, GOOD.replace("{field: theta,", "{field: theta, attributes: {coordinates: lat},"))
    assert done.returncode == 2
    assert "attributes.coordinates: is written automatically, from the coordinates of the grid" in done.stderr
    assert "given as `coordinates` of the variable" in done.stderr


COORDINATES = {
    "{height: {vale: 2}}": 'coordinates.height.vale: this key is unknown. Did you mean "value"?',
    "{height: {units: m}}": 'coordinates.height: "value" is missing',
    "{height: {value: low}}": "coordinates.height.value: ",
    "{height: {value: 2, bounds: [3, 4]}}": "coordinates.height.bounds: the value 2 is not between them",
    "{height: {value: 2, bounds: [1, 3, 4]}}": "coordinates.height.bounds: expected two numbers, but got 3",
    "{2m: {value: 2}}": "expected letters, digits and underscores, not starting with a digit",
    "{height: {value: 2, attributes: {bounds: x}}}": "coordinates.height.attributes.bounds: is written automatically",
}


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_scalar_coordinates_are_checked(tmp_path, coordinates):
    done = check(tmp_path, GOOD.replace("{field: theta,", f"{{field: theta, coordinates: {coordinates},"))
    assert done.returncode == 2
    assert COORDINATES[coordinates] in done.stderr


def test_include_cycle(tmp_path):
    (tmp_path / "more.yaml").write_text("include: [tailrace.yaml]\n")
    done = check(tmp_path, GOOD + "include: [more.yaml]\n")
    assert done.returncode == 2
    assert "these files include each other circularly: " in done.stderr
    assert "more.yaml -> " in done.stderr


def test_included_file_is_missing(tmp_path):
    done = check(tmp_path, GOOD + "include: [nowhere.yaml]\n")
    assert done.returncode != 0
    assert "nowhere.yaml" in done.stderr


def test_options_of_the_model(tmp_path):
    text = GOOD.replace("out.nc", "out_{case}.nc")
    assert "out_cold.nc" in check(tmp_path, text, "-D", "case=cold").stdout
    done = check(tmp_path, text, "-D", "kase=cold")
    assert done.returncode == 2
    assert "case" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "piece"),
    [
        (["check"], "Missing argument"),
        (["check", "nowhere.yaml"], "nowhere.yaml"),
        (["check", "x", "-D", "novalue"], "key=value"),
        (["chek"], "chek"),
        (["run", "-n", "0", "x", "--", "y"], "0"),
    ],
)
def test_mistakes_on_the_command_line(tmp_path, arguments, piece):
    (tmp_path / "x").write_text(GOOD)
    done = tailrace(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("tailrace: error: ")
    assert len(done.stderr.splitlines()) == 1
    assert piece in done.stderr
