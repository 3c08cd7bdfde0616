"""The plan of `tailrace serve --yac`, which is made before anything is exchanged; without YAC and MPI."""

import datetime
import json
import math

import pytest
from tailrace.yac.dates import length_of, milliseconds_of, told
from tailrace.yac.definitions import check_output_of_definitions, read_definitions
from tailrace.yac.derived import check_mode
from tailrace.yac.errors import CouplingError
from tailrace.yac.foreign import check_protocol
from tailrace.yac.metadata import attributes_of
from tailrace.yac.own_files import make_room
from tailrace.yac.places import place_of
from tailrace.yac.plan import make_plan
from tailrace.yac.request import read_request

HOUR = 3_600_000
COUPLING = """\
# ta is the temperature
coupling:
  - {src_component: atm, src_grid: a, tgt_component: io, tgt_grid: boxes, field: [ps,
      ta]}
  - field:
      src: sst
"""
CONFIG = """\
tailrace: 1
yac: {component: io, grids: {boxes: {latlon: 20 deg}}}
fields: {state: {every: EVERY, names: [ta]}}
output: {a.nc: {variables: [{field: ta, every: RECORDS, operation: mean}]}}
"""
TIME = "model_time: {{calendar: {}}}\n"
INPUT = "input: {sea: {files: sst.nc, fields: {sst: {time: linear}}}}\n"


@pytest.fixture
def plan(tmp_path):
    def make(fields=(), couples=(), every="1 h", records="6 h", more="", config=CONFIG, **changes):
        text = config.replace("EVERY", every).replace("RECORDS", records) + more
        config, coupling, known = tmp_path / "run.yaml", tmp_path / "coupling.yaml", tmp_path / "known.json"
        config.write_text(text)
        coupling.write_text(COUPLING)
        known.write_text(
            json.dumps(definitions(fields or [("atm", "a", "ta", 1, "PT30M")], couples or [couple()], **changes))
        )
        return make_plan(read_request(config), coupling, read_definitions(known))

    return make


def couple(source="atm.a.ta", target="io.boxes.ta", period="PT01H", lags=(0, 0), **more):
    names = source.split("."), target.split(".")
    made = {
        f"{side}_{what}": name
        for side, parts in zip(("src", "tgt"), names, strict=True)
        for what, name in zip(("component", "grid"), parts[:2], strict=True)
    }
    made |= {"field": {"src": names[0][2], "tgt": names[1][2]}, "coupling_period": period}
    return made | {"src_lag": lags[0], "tgt_lag": lags[1]} | more


def definitions(
    fields, couples, start="2008-03-09T00:00:00.000", end="2008-03-10T00:00:00.000", calendar="proleptic-gregorian"
):
    components = {}
    for component, grid, name, size, step in fields:
        entry = {"name": name, "grid_name": grid, "collection_size": size, "timestep": step}
        components.setdefault(component, []).append(entry)
    return {
        "debug_definitions": {"components": [{"name": name, "fields": each} for name, each in components.items()]},
        "start_date": start,
        "end_date": end,
        "calendar": calendar,
        "coupling": couples,
    }


def mistakes(plan, **keywords):
    with pytest.raises(CouplingError) as caught:
        plan(**keywords)
    return str(caught.value)


def test_all_but_names_comes_from_yac(plan):
    made = plan(fields=[("atm", "a", "ta", 5, "PT20M")], couples=[couple(lags=(1, 1))])
    (exchange,) = made.exchanges
    assert (exchange.collection, exchange.step, exchange.period) == (5, HOUR // 3, HOUR)
    assert exchange.levels == "level_5" and math.isnan(exchange.fill_value)
    assert exchange.first - made.epoch == HOUR  # the first coupling from the first step of the source on
    assert (made.base, made.step_of(exchange.first), made.seconds_of(exchange.first)) == (HOUR, 1, 3600.0)


def test_steps_count_from_the_start_of_model_time(plan):
    made = plan(more="model_time: {calendar: standard, start: 2008-03-01}\n")
    assert made.step_of(made.begin) == 8 * 24 and made.seconds_of(made.begin) == 8 * 86400.0


def test_inputs_have_the_size_that_their_target_defines(plan):
    fields = [("atm", "a", "ta", 1, "PT1H"), ("atm", "a", "sst", 3, "PT1H")]
    made = plan(fields=fields, couples=[couple(), couple("io.boxes.sst", "atm.a.sst", "PT02H")], more=INPUT)
    received, given = made.exchanges
    assert received.receives and not given.receives
    assert (given.collection, given.step, given.period) == (3, 2 * HOUR, 2 * HOUR) and made.base == HOUR


def test_a_selection_of_levels_is_the_size_of_the_field(plan):
    fields = [("atm", "a", "ta", 5, "PT1H")]
    for selection, size in (([0, 4], 2), (3, 1)):
        (exchange,) = plan(fields=fields, couples=[couple(collection_selection=selection)]).exchanges
        assert exchange.collection == size


@pytest.mark.parametrize(
    "keywords, message",
    [
        ({"couples": [couple("atm.a.tq")]}, ":4:7: atm.a.tq -> io.boxes.ta names the field atm.a.tq, which"),
        ({"couples": [couple("atn.a.ta")]}, "which takes no part in this run or defines no fields (did you mean atm?"),
        ({"couples": [couple(target="io.bixes.ta")]}, "names the grid bixes, which"),
        ({"couples": [couple(use_raw_exchange=True)]}, "use_raw_exchange: true"),
        ({"couples": [couple("io.boxes.sst", "atm.a.ta", collection_selection=0)]}, "as many members as the target"),
        ({"couples": [couple(), couple(target="io.boxes.ps")]}, ":3:83: atm.a.ta -> io.boxes.ps has no field"),
        ({"couples": [couple(target="other.boxes.ta")]}, "no couple of"),
        ({"couples": [couple(period="PT45M")]}, "45 min, which is no multiple of the time step 30 min of atm.a.ta"),
        ({"couples": [couple(period="P1M")]}, ":4:7: atm.a.ta -> io.boxes.ta has a coupling period, or a time step of"),
        ({"fields": [("atm", "a", "ta", 1, "P1M")]}, "every so many days, hours, minutes or seconds"),
        ({"every": "30 min"}, "run.yaml:3:25  fields: ta is asked for every 30 min, but atm.a.ta -> io.boxes.ta has"),
        ({"every": "90 min"}, "records would be missed; expected `every: 1 h` or a multiple"),
        ({"every": "2 h", "start": "2008-03-09T00:30:00.000"}, "expected a `start_date` that is a multiple"),
        ({"records": "30 min"}, "run.yaml:4:29  output: ta every 30 min, but atm.a.ta -> io.boxes.ta has values"),
        ({"more": INPUT}, "input: the field sst: no couple of"),
        ({"more": "checkpoint: {every: 6 h}\n"}, "checkpoints need `model_time`"),
        ({"more": TIME.format("noleap, start: 2008-03-09")}, "calendar: noleap, but the components"),
        ({"more": TIME.format("standard, start: 2009-01-01")}, "is after the start of the coupled run"),
        ({"more": TIME.format("standard, start: 2008-03-01T00:10:00")}, "no multiple of the coupling period 1 h"),
        ({"calendar": "NOT_SET"}, "YAC has no calendar"),
        ({"end": None}, "YAC has no dates of the run"),
    ],
)
def test_mistakes_name_both_sides(plan, keywords, message):
    assert message in mistakes(plan, **keywords)


def test_a_target_that_is_not_an_input_is_told(plan):
    fields = [("atm", "a", "ta", 1, "PT1H"), ("atm", "a", "sst", 1, "PT1H")]
    text = mistakes(plan, fields=fields, couples=[couple(), couple("io.boxes.sst", "atm.a.sst")])
    assert "coupling.yaml:6:12: io.boxes.sst -> atm.a.sst needs the field sst, which no entry of `input`" in text


def test_a_field_has_one_role(plan):
    """Whether or not the grids are the same."""
    fields = [("atm", "a", "ta", 1, "PT1H"), ("atm", "a", "cold", 1, "PT1H")]
    more = "input: {sea: {files: sst.nc, fields: {ta: {time: linear}}}}\n"
    text = mistakes(plan, fields=fields, couples=[couple(), couple("io.boxes.ta", "atm.a.cold")], more=more)
    assert "coupling.yaml:4:7: atm.a.ta -> io.boxes.ta makes ta a field that is written (" in text
    assert "run.yaml:3:38  fields), and io.boxes.ta -> atm.a.cold one that is read (" in text
    assert "run.yaml:5:39  input); expected another name of one of the two, in both configurations" in text


def test_levels_are_those_of_a_coupled_field(plan):
    more = "yac: {{component: io, grids: {{boxes: {{latlon: 20 deg}}}}, levels: {{{}: {{file: levels.nc}}}}}}\n"
    config = CONFIG.replace("yac: {component: io, grids: {boxes: {latlon: 20 deg}}}\n", "")
    fields = [("atm", "a", "ta", 5, "PT1H")]
    assert plan(fields=fields, config=config, more=more.format("level_5"))
    text = mistakes(plan, fields=fields, config=config, more=more.format("level_6"))
    assert "run.yaml:4:" in text
    assert "yac.levels: no coupled field has levels along level_6 (did you mean level_5? known: level_5)" in text


def test_targets_of_one_field_need_one_size(plan):
    fields = [("atm", "a", "ta", 1, "PT1H"), ("atm", "a", "sst", 2, "PT1H"), ("ice", "a", "sst", 3, "PT1H")]
    couples = [couple(), couple("io.boxes.sst", "atm.a.sst"), couple("io.boxes.sst", "ice.a.sst")]
    assert "have collections of 2 and 3; expected one size" in mistakes(
        plan, fields=fields, couples=couples, more=INPUT
    )


def test_couples_of_others_may_have_months(plan):
    fields = [("atm", "a", "ta", 1, "PT1H"), ("ice", "a", "mass", 1, "P1M")]
    made = plan(fields=fields, couples=[couple(), couple("ice.a.mass", "sea.b.mass", period="P1M")])
    assert [exchange.name.field for exchange in made.exchanges] == ["ta"]


def test_what_differs_but_can_be_meant_is_a_warning(plan):
    (warning,) = plan(records="90 min").warnings
    assert "windows do not end with a value" in warning
    (warning,) = plan(couples=[couple(lags=(1, 0))]).warnings
    assert "src_lag 1 and tgt_lag 0: the dates of records then differ" in warning


@pytest.mark.parametrize("mode, right", [("attached", True), ("inline", True), ("dedicated", False), ("off", False)])
def test_servers_run_in_the_processes_of_the_component(tmp_path, mode, right):
    config = tmp_path / "run.yaml"
    text = CONFIG.replace("EVERY", "1 step").replace("RECORDS", "6 h") + f"servers: {{mode: {mode}}}\n"
    config.write_text(text)
    if right:
        return check_mode(read_request(config), "--yac")
    with pytest.raises(CouplingError, match=rf"run.yaml:5:17  servers.mode: {mode} cannot be used with --yac"):
        check_mode(read_request(config), "--yac")


def test_the_place_of_pisms_own_writer_is_refused(tmp_path):
    config = tmp_path / "run.yaml"
    config.write_text("tailrace: 1\nyac: {component: pism_output, grids: {boxes: {latlon: 20 deg}}}\n")
    request = read_request(config)
    with pytest.raises(CouplingError, match=r"run.yaml:2:6  yac.component: .*which `tailrace serve --pism` takes"):
        check_protocol(request, ["pism", "pism_output"])
    check_protocol(request, ["atm", "pism_output"])


def test_the_file_with_the_definitions_is_ours(tmp_path):
    coupling = tmp_path / "coupling.yaml"
    coupling.write_text("debug:\n  global_config:\n    sync_def: other.yaml\n")
    with pytest.raises(CouplingError, match=r"coupling.yaml:3:5: .*expected `def_comp` or `enddef`"):
        check_output_of_definitions(coupling)


@pytest.mark.parametrize("there", ["a file", "a link", "a link to nothing", "a folder"])
def test_what_a_run_did_not_make_is_kept(tmp_path, there):
    path, other = tmp_path / "yac" / "definitions.json", tmp_path / "other.txt"
    path.parent.mkdir()
    if there == "a folder":
        path.mkdir()
    elif there == "a file":
        path.write_text("of somebody else")
    else:
        path.symlink_to(other)
    if there == "a link":
        other.write_text("ours")
    with pytest.raises(CouplingError, match=r"definitions\.json was not made by `tailrace serve --yac`"):
        make_room(path, "ours")
    assert {"a file": path.is_file(), "a folder": path.is_dir()}.get(there, path.is_symlink())


def test_a_file_in_the_place_of_the_folder_is_kept(tmp_path):
    (tmp_path / "yac").write_text("of somebody else")
    with pytest.raises(CouplingError, match=r"yac: the folder for files of .* cannot be made: "):
        make_room(tmp_path / "yac" / "io.yaml", "ours")
    assert (tmp_path / "yac").read_text() == "of somebody else"


@pytest.mark.parametrize("text", [None, "", "{ours}"], ids=["nothing", "what a killed run left", "an earlier run's"])
def test_files_of_earlier_runs_make_room(tmp_path, text):
    path = tmp_path / "yac" / "io.yaml"
    if text is not None:
        path.parent.mkdir()
        path.write_text(text)
    make_room(path, "ours")
    assert path.parent.is_dir() and not path.exists()


def test_lengths_and_dates_are_those_of_python():
    for text, length in (
        ("PT01H", HOUR),
        ("P1DT2H", 26 * HOUR),
        ("PT1M30.5S", 90_500),
        ("P00Y00M00DT00H00M10.000S", 10_000),
        ("P1M", 0),
        ("an hour", 0),
    ):
        assert length_of(text) == length
    assert [told(each) for each in (HOUR, 90 * 60_000, 2 * 86_400_000, 1500)] == ["1 h", "90 min", "2 d", "1500 ms"]
    first = datetime.datetime(1, 1, 1)
    for date in ("0004-02-29T00:00:00", "1900-03-01T12:00:00", "2000-02-29T23:59:59", "2008-12-31T06:30:00"):
        expected = (datetime.datetime.fromisoformat(date) - first) / datetime.timedelta(milliseconds=1)
        both = [milliseconds_of(each, "proleptic_gregorian") for each in (f"{date}.000", "0001-01-01T00:00:00.000")]
        assert both[0] - both[1] == expected
    for calendar, days in (("360_day", 60), ("365_day", 59), ("proleptic_gregorian", 60)):
        ends = (milliseconds_of(date, calendar) for date in ("2000-03-01T00:00:00", "2000-01-01T00:00:00"))
        assert next(ends) - next(ends) == days * 86_400_000


@pytest.mark.parametrize(
    "text, attributes",
    [
        ('{"cf": {"units": "K", "level": 2}, "grib2": {"discipline": 0}}', {"units": "K", "level": 2}),
        ("units: K\nlong_name: 'the air'", {"units": "K", "long_name": "the air"}),
        ('{"units": 7, "_FillValue": 1, "cell_methods": "time: mean", "flag": true}', {}),
        ("anything: else, and\nmore", {}),
        ("[1, 2]", {}),
        (None, {}),
    ],
)
def test_metadata_in_other_forms_is_left_alone(text, attributes):
    assert attributes_of(text) == attributes


def test_places_are_those_of_names_of_fields(tmp_path):
    coupling = tmp_path / "coupling.yaml"
    coupling.write_text(COUPLING)
    assert place_of(coupling, "ps") == f"{coupling}:3:83"
    assert place_of(coupling, "sst") == f"{coupling}:6:12"
    assert place_of(coupling, "atm") == str(coupling)
