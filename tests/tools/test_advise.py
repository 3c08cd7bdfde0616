"""`tailrace advise`: its figures are compared with direct computations, and its lines are read by `tailrace check`."""

import hashlib
import json
import re

import netCDF4
import numpy as np
import pytest
from support.harness import tailrace
from tailrace import _core
from tailrace.advise import advise as advise_on
from tailrace.advise import measures
from tailrace.advise.errors import AdviceError
from tailrace.advise.samples import Sample, samples_of
from tailrace.advise.trials import information_of, tried
from tailrace.weights import WeightsError

FILL = -999.0
SHAPE = (3, 4, 31, 47)


def field(dtype: str) -> np.ndarray:
    time, z, y, x = np.meshgrid(*(np.arange(extent) for extent in SHAPE), indexing="ij")
    noise = np.random.default_rng(3).random(SHAPE)
    return (20 + 9 * np.sin(0.2 * x + 0.1 * y + z) + time + 1e-3 * noise).astype(dtype)


@pytest.fixture
def sample_file(tmp_path):
    path = tmp_path / "sample.nc"
    with netCDF4.Dataset(path, "w") as data:
        for name, size in zip(("time", "z", "y", "x"), SHAPE, strict=True):
            data.createDimension(name, size)
        data.createVariable("y", "f8", ("y",))[:] = np.arange(SHAPE[2])
        smooth = data.createVariable("smooth", "f4", ("time", "z", "y", "x"), fill_value=FILL)
        smooth.units = "K"
        values = field("f4")
        values[:, :, :5, :9] = FILL
        smooth[:] = np.ma.masked_equal(values, FILL)
        data.createVariable("double", "f8", ("time", "y", "x"))[:] = field("f8")[:, 0]
        data.createVariable("count", "i4", ("time", "y", "x"))[:] = 7
    return path


def advise(*words, cwd):
    return tailrace("advise", *map(str, words), cwd=cwd)


def test_the_figures_are_those_of_what_readers_get(sample_file, tmp_path):
    digest = hashlib.sha256(sample_file.read_bytes()).hexdigest()
    keep = ("--keep", "absolute: 0.1", "--keep", "{relative: 1 %}")
    done = advise(sample_file, *keep, "-o", "figures.json", "--picture", "picture.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert hashlib.sha256(sample_file.read_bytes()).hexdigest() == digest
    assert (tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"
    told = {one["variable"]: one for one in json.loads((tmp_path / "figures.json").read_text())}
    assert set(told) == {"smooth", "double"}
    for name, one in told.items():
        trials = {(trial["codec"], trial["bound"]): trial for trial in one["trials"]}
        assert len(trials) == 3 * 3
        (sample,) = samples_of(sample_file, [name])
        for (codec, bound), trial in trials.items():
            size, errors, relative = 0, [], []
            for chunk in sample.chunks:
                stored = np.empty_like(chunk)
                size += _core.Compression(trial["compression"]).try_on(chunk, stored, FILL).bytes
                assert ((chunk == FILL) == (stored == FILL)).all()
                error = np.abs(stored.astype("f8") - chunk.astype("f8"))[chunk != FILL]
                errors.append(error)
                relative.append(error / np.abs(chunk[chunk != FILL].astype("f8")))
            everything = np.concatenate(errors)
            assert (
                trial["largest_absolute_error"] == everything.max() <= {"": 0.0, "absolute: 0.1": 0.1}.get(bound, 9.0)
            )
            assert trial["largest_relative_error"] == pytest.approx(np.concatenate(relative).max())
            assert trial["largest_relative_error"] <= (0.01 if bound.startswith("relative") else 1.0)
            assert trial["rms_error"] == pytest.approx(np.sqrt(np.mean(everything**2)))
            assert trial["ratio"] == sum(chunk.nbytes for chunk in sample.chunks) / size, (codec, bound)
            assert trial["exact_chunks"] == 0 and trial["encoded_megabytes_per_second"] > 0
        assert one["mantissa_bits"] > 1
        assert trials["lorenzo", "absolute: 0.1"]["ratio"] > 1.5 * trials["lorenzo", ""]["ratio"] > 1.5


def test_the_lines_are_a_configuration(sample_file, tmp_path):
    done = advise(sample_file, "--keep", "absolute: 0.1", "--codec", "zstd", cwd=tmp_path)
    lines = done.stdout[done.stdout.index("variables:") :].splitlines()[1:]
    assert len(lines) == 2 and all(
        re.match(r"  - \{field: (smooth|double), compression: .*\}   # [\d.]+:1$", line) for line in lines
    )
    entries = "\n".join("    " + line.replace("field:", "every: 1 s, field:") for line in lines)
    (tmp_path / "run.yaml").write_text(
        "tailrace: 1\nfields: {state: {every: 1 step, names: [smooth, double]}}\n"
        f"output:\n  a.nc:\n    variables:\n{entries}\n"
    )
    checked = tailrace("check", "run.yaml", cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.count("kept: absolute 0.1") == 2


def test_it_reads_zarr_stores(sample_file, tmp_path):
    pytest.importorskip("zarr", minversion="3.0.8")
    assert tailrace("convert", str(sample_file), "sample.zarr", cwd=tmp_path).returncode == 0
    before = sorted(path for path in (tmp_path / "sample.zarr").rglob("*"))
    store = tmp_path / "sample.zarr"
    advise_on([store], ["bits: 6"], output=tmp_path / "store.json")
    advise_on([sample_file], ["bits: 6"], output=tmp_path / "file.json")
    assert sorted(path for path in (tmp_path / "sample.zarr").rglob("*")) == before

    def ratios(name):
        all_of = json.loads((tmp_path / name).read_text())
        return {one["variable"]: [trial["ratio"] for trial in one["trials"]] for one in all_of}

    assert ratios("store.json") == ratios("file.json")
    with pytest.raises(AdviceError, match="which is read; expected another place"):
        advise_on([store], output=store / "figures.json")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"variables": ["smoth"]}, "has no variable 'smoth'; expected one of smooth, double, count"),
        ({"variables": ["count"]}, "count is stored as int32, without loss; expected one of float32 or float64"),
        ({"keep": ["absolut: 0.1"]}, 'Did you mean "absolute"?'),
        ({"keep": ["1 %"]}, 'expected `{relative: 1 %}`, but got "1 %"'),
        ({"keep": [""]}, "expected at least one of `absolute`"),
        ({"keep": ["absolute: -1"]}, 'expected a number above 0, but got "-1"'),
        ({"keep": ["absolute: 0, digits: 99"]}, "stored exactly; compression.keep.digits: expected a whole number"),
        ({"codecs": ["zstf"]}, 'Did you mean "zstd"?'),
        ({"output": "there.json"}, "there.json: exists; expected another file, or --force to replace it"),
        ({"output": "sample.nc", "force": True}, "sample.nc: exists and is read"),
        ({"output": "no/figures.json"}, "there is no directory"),
        ({"output": "new.json", "picture": "new.json"}, "is the file of --picture and of --output"),
        ({"files": ["text.nc"]}, "text.nc: cannot be read as NetCDF or Zarr"),
    ],
)
def test_mistakes_are_named(sample_file, tmp_path, words, told):
    (tmp_path / "there.json").write_text("mine")
    (tmp_path / "text.nc").write_text("no NetCDF")
    files = [tmp_path / name for name in words.get("files", ["sample.nc"])]
    places = {key: tmp_path / words[key] for key in ("output", "picture") if key in words}
    rest = {key: value for key, value in words.items() if key not in ("files", "output", "picture")}
    with pytest.raises((AdviceError, WeightsError), match=re.escape(told)):
        advise_on(files, **rest, **places)
    assert (tmp_path / "there.json").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sample.nc", "text.nc", "there.json"]


def test_a_mistake_is_one_line_of_the_command(sample_file, tmp_path):
    done = advise(sample_file, "--keep", "0.1", cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    expected = r"tailrace: error: --keep '0\.1' with --codec zlib: compression.keep: expected `{absolute: 0\.1}`.*\n$"
    assert re.match(expected, done.stderr)


def slow_ssim(x: np.ndarray, y: np.ndarray) -> float:
    found, spread = [], np.ptp(x)
    c1, c2 = (0.01 * spread) ** 2, (0.03 * spread) ** 2
    for row in range(x.shape[0] - 6):
        for column in range(x.shape[1] - 6):
            a, b = (part[row : row + 7, column : column + 7].ravel() for part in (x, y))
            covariance = np.cov(a, b)
            index = (2 * a.mean() * b.mean() + c1) * (2 * covariance[0, 1] + c2)
            found.append(index / ((a.mean() ** 2 + b.mean() ** 2 + c1) * (covariance[0, 0] + covariance[1, 1] + c2)))
    return float(np.mean(found))


def test_ssim_is_that_of_wang():
    x = field("f8")[0, 0]
    y = np.round(x / 2.0) * 2.0
    everywhere = np.ones(x.shape, bool)
    assert measures.ssim(x, y, everywhere) == pytest.approx(slow_ssim(x, y), rel=1e-9)
    assert measures.ssim(x, x, everywhere) == pytest.approx(1.0)
    part = everywhere.copy()
    part[:, :20] = False
    assert measures.ssim(x, y, part) is not None
    assert measures.ssim(x, y, ~everywhere) is None
    assert measures.ssim(x[:5], y[:5], everywhere[:5]) is None
    skimage = pytest.importorskip("skimage.metrics")
    assert measures.ssim(x, y, everywhere) == pytest.approx(
        skimage.structural_similarity(x, y, data_range=np.ptp(x)), rel=1e-2
    )


def test_the_error_passes_the_signal_where_its_power_is_larger():
    cells = 240
    x = np.arange(cells)
    signal = np.stack([np.sin(2 * np.pi * x / 40 + k) + 0.01 * np.sin(2 * np.pi * x / 6 + k) for k in range(9)])
    error = 0.1 * np.random.default_rng(1).standard_normal(signal.shape)
    everywhere = np.ones(signal.shape, bool)
    length = measures.passing_length(
        measures.row_power(signal, everywhere), measures.row_power(error, everywhere), cells
    )
    assert length is not None and 6 < length < 40
    assert measures.passing_length(np.ones(5), np.array([2.0, 0.1, 0.5, 1.0, 3.0]), 10) == 2.5
    assert measures.passing_length(np.ones(5), np.full(5, 2.0), 10) == 10
    assert measures.passing_length(np.ones(5), np.zeros(5), 10) is None
    assert measures.row_power(signal, np.zeros(signal.shape, bool)) is None


def information_by_formula(values: np.ndarray) -> np.ndarray:
    """I = sum of p(a, b) log2(p(a, b) / (p(a) p(b))) over the pairs of neighbours along the last dim."""
    found = []
    for bit in range(31, -1, -1):
        bits = values.view("u4") >> bit & 1
        left, right = bits[..., :-1].ravel(), bits[..., 1:].ravel()
        joint = np.histogram2d(left, right, bins=(2, 2), range=((0, 2), (0, 2)))[0] / left.size
        apart = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
        terms = np.divide(joint, apart, out=np.ones_like(joint), where=apart > 0)
        found.append(float(np.sum(joint * np.log2(np.where(joint > 0, terms, 1.0)))))
    return np.array(found)


def test_information_is_that_of_its_formula():
    values = field("f4")[0, 0]
    told, expected = np.array(_core.Compression.information_of_bits(values)), information_by_formula(values)
    counted = told > 0  # what could be chance counts as 0
    assert counted.sum() > 5
    np.testing.assert_allclose(told[counted], expected[counted], rtol=1e-9)
    assert expected[~counted].max() < 0.01
    total, bits = information_of(Sample(None, "x", "", None, [values]))
    assert total == pytest.approx(told.sum())
    assert told[: 9 + bits].sum() >= 0.99 * total > told[: 9 + bits - 1].sum()
    assert information_of(Sample(None, "x", "", None, [np.ones((8, 9), "f4")])) == (0.0, None)


def test_information_is_that_of_xbitinfo():
    bitinformation = pytest.importorskip("xbitinfo._py_bitinfo").bitinformation
    dask = pytest.importorskip("dask.array")
    values = field("f4")[0, 0]
    theirs = np.asarray(bitinformation(dask.from_array(values.view("u4")), axis=1))
    ours = np.array(_core.Compression.information_of_bits(values))
    np.testing.assert_allclose(ours[ours > 0], theirs[ours > 0], rtol=1e-6)


def test_fields_without_values_or_information_have_no_figures():
    nothing = np.full((2, 9, 11), np.nan, "f4")
    advice = tried(Sample(None, "x", "", None, [nothing]), ["absolute: 1"], ["zstd"])
    assert advice.bits is None and advice.trials[1].errors.count == 0 and advice.trials[1].ssim is None
    assert advice.trials[1].spectra.passing is None
