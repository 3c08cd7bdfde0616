"""What `tailrace check` says to each kind of mistake: the place, what was expected, the nearest name."""

import pytest
from support.harness import tailrace

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
    "no such period": ("every: 10 s", "every: 10 parsecs", ["tailrace.yaml:11:", "parsecs", "known:"]),
    "period without calendar": (
        "every: 10 s",
        "every: 1 month",
        ["tailrace.yaml:11:", "no step can meet", "every month", "`model_time.calendar` is none"],
    ),
    "not yet": ("groups:\n  three_d: [u, theta]", "checkpoint: {every: 1 h}", ["is not available yet"]),
    "format not yet": ("write_every: 100 s", "format: zarr", ['"zarr" is not available yet']),
    "other version": ("tailrace: 1", "tailrace: 7", ["tailrace.yaml:1:", "version 1", '"7"']),
    "same file twice": (
        "output:\n",
        "output:\n  ./out.nc: {variables: [{field: u, time: mean, every: 10 s}]}\n",
        ["is the same file as"],
    ),
    "a key twice": ("write_every: 100 s", "write_every: 100 s\n    write_every: 10 s", ["is given twice"]),
    "not YAML": ("[u, theta]\noutput", "[u, theta\noutput", ["tailrace.yaml:"]),
}


def check(folder, text: str, *arguments: str):
    (folder / "tailrace.yaml").write_text(text)
    return tailrace("check", "tailrace.yaml", *arguments, cwd=folder)


def test_a_good_configuration_is_described(tmp_path):
    done = check(tmp_path, GOOD)
    assert done.returncode == 0, done.stderr
    for piece in ("out.nc", "theta", "mean", "every 10 s"):
        assert piece in done.stdout
    assert done.stderr == ""


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


def test_all_mistakes_in_one_go(tmp_path):
    text = (
        GOOD.replace("count: 2", "cuont: 2").replace("time: mean", "time: avarage").replace("100 s", "100 lightyears")
    )
    done = check(tmp_path, text)
    assert done.returncode == 2
    for piece in ("cuont", "avarage", "lightyears"):
        assert piece in done.stderr


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
