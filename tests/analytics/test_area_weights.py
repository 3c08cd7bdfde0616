"""Means over latitudes are weighted by cell areas if the model provides them; compared with NumPy."""

import numpy as np
import pytest
from analytics.support.jobs import Case, worst
from support.harness import servers
from support.reading import every_bit

STEPS, SHAPE = 3, (2, 5, 7)
RNG = np.random.default_rng(23)
TA = RNG.normal(270, 20, (STEPS, *SHAPE))
HUS = RNG.gamma(2, 0.01, (STEPS, *SHAPE))
EDGES = np.array([-90.0, -61.0, -20.0, 15.0, 44.0, 90.0])
BOUNDS = np.column_stack([EDGES[1:], EDGES[:-1]])  # some models give the upper one first
BELTS = np.abs(np.diff(np.sin(np.radians(EDGES))))
AREA = RNG.gamma(2, 1e6, SHAPE[1:])
MEANS = {
    "of_all": "mean(ta)",
    "of_levels": "mean(ta, lat, lon)",
    "zonal": "mean(ta, lon)",
    "meridional": "mean(ta, lat)",
    "plain": "mean(ta, lat, lon, weights=1)",
    "spread": "std(ta, lat, lon)",
    "flux": "cov(ta, hus, lat, lon)",
}


def case(ranks: int = 1, serving=None, parts: dict | None = None, area: bool = False, bounds: bool = True) -> Case:
    lat = {"standard_name": "latitude"} | ({"bounds": BOUNDS.tolist()} if bounds else {})
    coordinates = {
        "lat": ((EDGES[1:] + EDGES[:-1]) / 2, "degrees_north", lat),
        "lon": (np.arange(7) * 51.0, "degrees_east", {"standard_name": "longitude"}),
    }
    if area:
        coordinates["area"] = (AREA.ravel(), "m2", {"dims": ["lat", "lon"], "measure": "area"})
    made = Case(ranks, serving or servers(1), STEPS)
    made.grid("globe", ("z", "lat", "lon"), SHAPE, coordinates=coordinates, parts=parts or {})
    return made.field("ta", TA, grid="globe", units="K").field("hus", HUS, grid="globe", units="1")


def expected(weights: np.ndarray) -> dict[str, np.ndarray]:
    whole = np.broadcast_to(weights, TA.shape)

    def mean(values: np.ndarray, *axes: int) -> np.ndarray:
        return np.average(values, axis=axes, weights=whole)

    def anomaly(values: np.ndarray) -> np.ndarray:
        return values - mean(values, 2, 3)[..., None, None]

    return {
        "of_all": mean(TA, 1, 2, 3),
        "of_levels": mean(TA, 2, 3),
        "zonal": TA.mean(axis=3),
        "meridional": mean(TA, 2),
        "plain": TA.mean(axis=(2, 3)),
        "spread": np.sqrt(mean(anomaly(TA) ** 2, 2, 3)),
        "flux": mean(anomaly(TA) * anomaly(HUS), 2, 3),
    }


@pytest.mark.parametrize("area", [False, True], ids=["by bounds", "by areas"])
def test_cells_are_weighted_by_their_areas(job, area):
    data = case(3, servers(2), {"lat": 3}, area).compute(job.root, MEANS)
    right = expected(AREA if area else BELTS[:, None])
    tolerance = dict.fromkeys(right, 1e-13) | {"spread": 1e-11, "flux": 1e-11}
    wrong = {name: worst(data[name].values, one, tolerance[name]) for name, one in right.items()}
    assert wrong == dict.fromkeys(wrong, "")


def test_the_bits_do_not_depend_on_the_decomposition(job):
    found = []
    for ranks, serving, parts in (
        (1, servers(1), {}),
        (5, servers(2), {"lat": 5}),
        (4, servers(3), {"lat": 2, "lon": 2}),
    ):
        made = case(ranks, serving, parts)
        folder = job.root / f"{ranks}"
        made.run(folder, made.configuration(MEANS), environment={"TAILRACE_RANDOM_DELAYS": "5:300"}).finished()
        found.append(every_bit(folder / "out.nc"))
    assert found[0] == found[1] == found[2]


def test_without_areas_there_is_a_warning(job):
    made = case(bounds=False)
    result = made.run(job.root, made.configuration(MEANS)).finished()
    assert (
        'mean gives all cells along "lat" equal weight, but their areas differ with the latitude "lat"' in result.output
    )
    assert result.output.count("equal weight") == 5  # not those with weights, nor the zonal mean
