"""Bundled diagnostics (the same expression of many small fields) have the same values as single ones."""

import numpy as np
import pytest
from analytics.support.jobs import Case, worst
from support.harness import attached, servers
from support.reading import read

STEPS, CONTRIBUTIONS, LEVELS = 4, 6, 5
RANDOM = np.random.default_rng(11)
TYPES = ["f8", "f8", "f4", "i8", "f4", "f8", "f8"]
PROFILES = [np.round(1e3 * RANDOM.normal(size=(STEPS, CONTRIBUTIONS, LEVELS))).astype(kind) for kind in TYPES]
PLANES = [RANDOM.normal(size=(STEPS, 6, 4)) for _ in range(4)]
LEVELS_KNOWN = np.array([10.0, 20.0, 40.0, 80.0, 160.0])
PROFILES[5][1, 2, 3] = np.nan
LOST, LAST_OF_IT = 6, 2  # the last profile is put in the first two steps only


def case(ranks: int, serving) -> Case:
    made = Case(ranks, serving, steps=STEPS)
    made.grid("levels", ["level"], [LEVELS], kind="partial", coordinates={"level": LEVELS_KNOWN})
    made.grid("plane", "yx", (6, 4), parts={"y": ranks})
    for i, values in enumerate(PROFILES):
        made.field(f"p{i}", values, grid="levels", **({"absent_from": LAST_OF_IT + 1} if i == LOST else {}))
    for i, values in enumerate(PLANES):
        made.field(f"b{i}", values, grid="plane")
    return made


def diagnostics() -> dict[str, str]:
    made = {f"sum{i}": f"sum(p{i}, rank) / 4" for i in range(len(PROFILES))}
    # A second diagnostic of the same field changes the bundles.
    made |= {"again0": "sum(p0, rank) / 4 + level"}
    for i in range(len(PLANES)):
        made[f"greatest{i}"] = f"max(b{i})"
        made[f"rows{i}"] = f"sum(b{i}, x)"
        made[f"twice{i}"] = f"2 * b{i}"
        made[f"variance{i}"] = f"mean((b{i} - mean(b{i})) ** 2, y)"
        made[f"middle{i}"] = f"quantile(b{i}, q=0.5)"
    return made


def expected() -> dict[str, np.ndarray]:
    made = {}
    for i, values in enumerate(PROFILES):
        made[f"sum{i}"] = values.astype("f8").sum(axis=1) / 4
    made[f"sum{LOST}"][LAST_OF_IT:] = np.nan
    made["again0"] = made["sum0"] + LEVELS_KNOWN
    for i, values in enumerate(PLANES):
        made[f"greatest{i}"] = values.max(axis=(1, 2))
        made[f"rows{i}"] = values.sum(axis=2)
        made[f"twice{i}"] = 2 * values
        made[f"variance{i}"] = ((values - values.mean(axis=(1, 2), keepdims=True)) ** 2).mean(axis=1)
        made[f"middle{i}"] = np.median(values, axis=(1, 2))
    return made


FIELDS = {
    "state": {"names": [f"p{i}" for i in range(LOST)] + [f"b{i}" for i in range(len(PLANES))]},
    "extra": {"names": [f"p{LOST}"], "optional": True},
}


def run(folder, ranks, serving):
    one = case(ranks, serving)
    result = one.run(folder, one.configuration(diagnostics(), fields=FIELDS)).finished()
    return result, read(result.path("out.nc"))


def seen(variable) -> np.ndarray:
    fill = variable.attrs.get("_FillValue", variable.encoding.get("_FillValue"))
    return np.where(variable.values == fill, np.nan, variable.values)


@pytest.mark.parametrize(
    ("ranks", "serving"),
    [(1, servers(1)), (2, servers(1, threads=2)), (3, servers(2)), (2, servers(3, transport="mpi")), (3, attached())],
)
def test_each_has_the_value_of_a_single_one(tmp_path, ranks, serving):
    result, data = run(tmp_path, ranks, serving)
    for name, values in expected().items():
        assert not (wrong := worst(seen(data[name]), values, 1e-12)), f"{name} {wrong}"
    assert result.output.count(f'did not put "p{LOST}" at step {LAST_OF_IT + 1}') >= 1
    assert 'did not put "p0"' not in result.output


def test_the_same_bits_for_any_ranks_and_servers(tmp_path):
    _, first = run(tmp_path / "first", 1, servers(1))
    _, other = run(tmp_path / "other", 3, servers(2))
    # Ranks add contributions before they put them, so only whole blocks have the same bits.
    for name in (name for name in diagnostics() if name[:3] not in ("sum", "aga")):
        assert first[name].values.tobytes() == other[name].values.tobytes(), name
