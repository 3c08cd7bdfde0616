"""Lossy compression: what readers get of each variable is compared with the exact variable in the same file."""

import itertools
import json
import re

import netCDF4
import numpy as np
import pytest
from support.chains import Piece, assert_same, count, files_of, run_in_pieces
from support.harness import Job, Running, attached, block_grid, field, inline, model, servers, tailrace
from support.reading import differences, every_bit, read
from support.stores import assert_same_as_netcdf, every_bit_of_store, read_store
from support.values import varying_times

BOUNDS = {
    "absolute": {"absolute": 0.3},
    "relative": {"relative": "1 %"},
    "digits": {"digits": 3},
    "bits": {"bits": 6},
    "several": {"absolute": 0.5, "relative": "0.1 %"},
    "information": {"information": 0.99},
}
FILL = -999.0


def variable(of: str, name: str, compression, **more) -> dict:
    return {"field": of, "name": name, "operation": "mean", "every": "2 s", "compression": compression} | more


def variables(codec: str, chunk: list[int] | None) -> list[dict]:
    """Each bound for a field of either type, besides the exact means."""
    more = {"chunk": chunk} if chunk else {}
    entries = [variable(of, f"{of}_exact", "none", **more) for of in ("gappy", "single")]
    for of, (name, keep) in itertools.product(("gappy", "single"), BOUNDS.items()):
        entries.append(variable(of, f"{of}_{name}", {"codec": codec, "keep": keep}, **more))
    return entries


def both(name: str, **options) -> dict:
    return {f"{name}.nc": options, f"{name}.zarr": options | {"format": "zarr"}}


CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["gappy", "single", "whole"]}},
    "output": {
        **both("rows", write_every="5 s", variables=variables("zlib", [3, 2, 4, 11])),
        **both("maps", write_every="5 s", variables=variables("auto", [1, 3, 7, 11])),
        **both(
            "chosen",
            compression={"codec": "zstd", "keep": {"absolute": 0.3}},
            variables=[
                variable("gappy", "gappy_exact", "none"),
                {"field": "gappy", "name": "gappy_absolute", "operation": "mean", "every": "2 s"},
                {"field": "whole", "every": "2 s"},
                {
                    "field": "gappy",
                    "name": "part",
                    "operation": "mean",
                    "every": "2 s",
                    "split": "z",
                    "chunk": [3, 1, 5, 4],
                },
                {"field": "gappy", "name": "packed", "every": "2 s", "pack": {"range": [0.0, 900.0]}},
            ],
        ),
    },
}
SCENARIO = {
    "grids": [block_grid()],
    "fields": [
        field("gappy", "les", fill_value=FILL),
        field("single", "les", "float32"),
        field("whole", "les", "int32"),
    ],
    "times": varying_times(29, seed=5),
}


def broken(x: np.ndarray, y: np.ndarray, keep: dict) -> np.ndarray:
    """The errors beyond the bound, in long double; `keep` is that of the configuration."""
    x, y = x.astype(np.longdouble), y.astype(np.longdouble)
    error, size = np.abs(y - x), np.abs(x)
    bad = np.zeros(x.shape, bool)
    if "absolute" in keep:
        bad |= error > keep["absolute"]
    if "relative" in keep:
        bad |= error > np.longdouble(keep["relative"].removesuffix(" %")) / 100 * size
    if "digits" in keep:
        decade = np.floor(np.log10(np.where(size > 0, size, 1)))
        bad |= error > 0.5 * np.longdouble(10) ** (decade + 1 - keep["digits"])
    if "bits" in keep:
        bad |= error > np.longdouble(2) ** (np.floor(np.log2(np.where(size > 0, size, 1))) - keep["bits"] - 1)
    return bad


def check_file(data, is_appended: bool = False) -> int:
    """All kept variables of a Dataset without unpacking; returns how many there were. Where jobs append, the errors are
    also those of records that were removed: windows that an earlier job ended."""
    checked = 0
    for name in data.data_vars:
        of, _, kind = str(name).partition("_")
        if kind not in BOUNDS:
            continue
        x, y, attributes = data[f"{of}_exact"].values, data[name].values, data[name].attrs
        missing = x == FILL
        np.testing.assert_array_equal(y == FILL, missing, err_msg=name)
        assert not broken(x, y, BOUNDS[kind])[~missing].any(), name
        errors = np.abs(y.astype(float) - x.astype(float))[~missing]
        absolute, relative = (attributes[f"tailrace_largest_{kind}_error"] for kind in ("absolute", "relative"))
        largest = (errors / np.abs(x.astype(float)[~missing])).max()
        assert (absolute, relative) == (errors.max(), largest) or is_appended, name
        assert absolute >= errors.max() and relative >= largest, name
        assert errors.max() > 0.0, name
        words = {"several": "absolute 0.5, relative 0.1 %"}.get(kind)
        assert attributes["tailrace_error_bound"] == (words or f"{kind} {BOUNDS[kind][kind]}"), name
        checked += 1
    return checked


def check_cf(data, kind: str, algorithm: str, parameter: str) -> int:
    attributes = data[f"single_{kind}"].attrs
    assert data[attributes["quantization"]].attrs["algorithm"] == algorithm
    assert re.match(r"Tailrace version \d", data[attributes["quantization"]].attrs["implementation"])
    assert data.attrs["Conventions"] == "CF-1.12"
    return int(attributes[parameter])


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    return Job(tmp_path_factory.mktemp("reference"))(model(1, **SCENARIO), inline(), config=CONFIG).finished()


def test_stock_readers_get_each_value_within_the_bound(reference):
    for name, expected in {"rows": 12, "maps": 12, "chosen": 1}.items():
        file, store = reference.path(f"{name}.nc"), reference.path(f"{name}.zarr")
        assert check_file(read(file)) == expected
        assert check_file(read_store(store)) == expected
        assert_same_as_netcdf(store, file)
    with netCDF4.Dataset(reference.path("rows.nc")) as data:
        data.set_auto_maskandscale(False)
        x, y = data["single_exact"][:], data["single_relative"][:]
        assert not broken(x, y, BOUNDS["relative"]).any()
        assert len(np.unique(y)) < len(np.unique(x)) / 3


def test_the_files_name_the_algorithms_of_cf(reference):
    for data in (read(reference.path("rows.nc")), read_store(reference.path("rows.zarr"))):
        assert check_cf(data, "bits", "bitround", "quantization_nsb") == 6
        assert check_cf(data, "digits", "granular_bitround", "quantization_nsd") == 3
        kept = check_cf(data, "information", "bitround", "quantization_nsb")
        exact, rounded = data["single_exact"].values, data["single_information"].values
        fewest = []
        for record, z, y in itertools.product(range(len(exact)), (0, 2), (0, 4)):  # the chunks
            cells = (record, slice(z, z + 2), slice(y, y + 4))
            if (rounded[cells] == exact[cells]).all():
                continue  # without information
            used = np.bitwise_or.reduce(rounded[cells].view("u4"), axis=None)
            fewest.append(23 - next(bit for bit in range(24) if used >> bit & 1 or bit == 23))
        assert len(fewest) > 5 and 1 <= kept <= min(fewest) <= kept + 3
        assert "quantization" not in data["single_absolute"].attrs
        assert "quantization" not in data["single_exact"].attrs


def test_variables_that_are_split_keep_the_bound_of_their_own(reference):
    data = read(reference.path("chosen.nc"))
    errors = []
    for z in range(3):
        x, y = data["gappy_exact"].values[:, z], data[f"part_{z + 1}"].values
        assert not broken(x, y, BOUNDS["absolute"])[x != FILL].any()
        errors.append(np.abs(x - y)[x != FILL].max())
        assert data[f"part_{z + 1}"].attrs["tailrace_largest_absolute_error"] == errors[-1] > 0.0
    assert len(set(errors)) > 1


def test_integers_and_packed_values_stay_exact(reference):
    data = read(reference.path("chosen.nc"))
    assert set(data.whole.attrs) & {"tailrace_error_bound", "quantization"} == set()
    assert "tailrace_error_bound" not in data.packed.attrs
    assert len(np.unique(data.whole.values)) > 50


def test_inspect_and_report_tell_bounds_and_errors(reference):
    for name in ("chosen.nc", "chosen.zarr"):
        error = read(reference.path("chosen.nc")).gappy_absolute.attrs["tailrace_largest_absolute_error"]
        told = tailrace("inspect", name, cwd=reference.folder).stdout
        assert f"gappy_absolute: rounded within absolute 0.3; largest errors: {error:.3g}, " in told
    told = tailrace("inspect", "rows.nc", cwd=reference.folder).stdout
    assert re.search(r"single_bits: rounded within bits 6; largest errors: [^;]* %$", told, re.MULTILINE), "bits once"
    assert re.search(r"single_information: .* %; \d+ bits of the mantissa$", told, re.MULTILINE)
    report = json.loads(reference.path("tailrace_report/report.json").read_text())
    files = {file["path"]: {one["variable"]: one for one in file["compression"]} for file in report["files"]}
    data = read(reference.path("maps.nc"))
    for name, told in files["maps.nc"].items():
        assert told["largest_absolute_error"] == data[name].attrs["tailrace_largest_absolute_error"]
        assert told["exact_chunks"] == 0
        assert told["chunks"] == sum(told["chosen_levels"].values()) == data.sizes["time"], told
    assert files["chosen.nc"]["gappy_absolute"]["bound"] == "absolute 0.3"
    assert set(files["chosen.nc"]) == {"gappy_absolute", "part_1", "part_2", "part_3"}


PLAYERS = [(3, servers(2)), (5, servers(3, transport="mpi")), (3, attached())]


@pytest.mark.parametrize(("ranks", "serving"), PLAYERS, ids=["two", "three", "attached"])
def test_the_bits_do_not_depend_on_ranks_and_servers(job, reference, ranks, serving):
    delays = {"TAILRACE_RANDOM_DELAYS": f"{ranks}:2000"}
    result = job(model(ranks, **SCENARIO), serving, config=CONFIG, environment=delays).finished()
    for name in ("rows", "maps", "chosen"):
        assert differences(every_bit(result.path(f"{name}.nc")), every_bit(reference.path(f"{name}.nc"))) == []
        store = every_bit_of_store(result.path(f"{name}.zarr"))
        assert differences(store, every_bit_of_store(reference.path(f"{name}.zarr"))) == []


def test_appended_files_keep_the_bound_and_the_largest_error(job):
    output = {path: file | {"if_exists": "append"} for path, file in CONFIG["output"].items() if "rows" in path}
    whole = SCENARIO["times"]
    folder, largest = None, {}
    for first, last in ((0, 12), (12, 13), (13, 29)):
        scenario = SCENARIO | {"times": whole[first:last], "initial_time": whole[first - 1] if first else 0.0}
        result = job(model(3, **scenario), servers(2), config=CONFIG | {"output": output}, folder=folder).finished()
        folder = result.folder
        data = read(result.path("rows.nc"))
        is_appended = first > 0
        assert check_file(data, is_appended) == check_file(read_store(result.path("rows.zarr")), is_appended) == 12
        for name in data.data_vars:
            error = data[name].attrs.get("tailrace_largest_absolute_error", 0.0)
            assert error >= largest.get(name, 0.0)
            largest[name] = error
    other = {"rows.nc": output["rows.nc"] | {"variables": variables("zlib", [3, 2, 4, 11])}}
    other["rows.nc"]["variables"][2]["compression"] = {"codec": "zlib", "keep": {"absolute": 0.1}}
    later = SCENARIO | {"times": [whole[-1] + 2.0], "initial_time": whole[-1]}
    refused = job(model(1, **later), inline(), config=CONFIG | {"output": other}, folder=folder)
    assert refused.status != 0
    assert (
        'rows.nc: cannot be continued: its variable "gappy_absolute" has `keep` of absolute 0.3, and this run writes '
        "`keep` of absolute 0.1; expected the same `keep`"
    ) in refused.output
    assert check_file(read(folder / "rows.nc"), is_appended=True) == 12


RESTARTS = {
    "fields": {"state": {"every": "1 step", "names": ["gappy", "single"]}},
    "checkpoint": {"every": "4 steps", "fields": ["gappy", "single"]},
    "output": {
        "rows.nc": {"write_every": "9 s", "variables": variables("zlib", [5, 2, 4, 11])},
        "parts.nc": {"new_file_every": "13 s", "write_every": "4 s", "variables": variables("zlib", [2, 3, 7, 6])},
    },
}


def test_restarts_give_the_same_files(tmp_path):
    """Records that were rounded before a checkpoint are not rounded again, and their errors are not forgotten."""

    def start_in(folder):
        job = Job(folder)

        def start(piece: Piece) -> Running:
            times = SCENARIO["times"]
            scenario = SCENARIO | {"times": times[: piece.steps] if piece.steps else times, "pace": 0.02}
            played = model(piece.ranks, **scenario, checkpoints=True, got=["gappy", "single"], asks_stop=True)
            return job.start(played, piece.serving, config=RESTARTS, folder=folder)

        return start

    with start_in(tmp_path / "whole")(Piece(1, inline())) as running:
        assert running.wait(120.0).status == 0
    whole = files_of(tmp_path / "whole")
    assert len(whole) > 2
    for path in (tmp_path / "whole").glob("*.nc"):
        assert check_file(read(path)) == 12
    for seed in range(count(1, 12, "TAILRACE_TEST_CHAINS")):
        folder = tmp_path / f"pieces_{seed}"
        told = run_in_pieces(folder, start_in(folder), "player", seed, stops=2, steps=28, seconds=3.0)
        assert_same(folder, whole, told)


@pytest.mark.parametrize(
    ("file", "told"),
    [
        (
            {
                "format": "adios2",
                "compression": {"keep": {"bits": 9}},
                "variables": [{"field": "single", "every": "2 s"}],
            },
            "does not tell readers the errors of values that are rounded; expected `netcdf` or `zarr`",
        ),
        (
            {
                "variables": [
                    {"field": "single", "every": "2 s", "pack": {"range": [0, 1]}, "compression": {"keep": {"bits": 9}}}
                ]
            },
            "compression.keep: cannot be given beside `pack`",
        ),
    ],
)
def test_what_cannot_be_kept_is_refused(tmp_path, file, told):
    config = {"tailrace": 1, "servers": {"mode": "inline"}, "fields": {"s": {"every": "1 step", "names": ["single"]}}}
    (tmp_path / "run.yaml").write_text(
        json.dumps(config | {"output": {"out.bp" if "format" in file else "out.nc": file}})
    )
    checked = tailrace("check", "run.yaml", cwd=tmp_path)
    assert checked.returncode != 0
    assert told in checked.stdout + checked.stderr
