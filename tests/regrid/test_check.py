"""`tailrace check` tells where each operation over time is done and why, and whether weights are cached."""

import tailrace
from support.harness import field, model, servers
from support.regridding import lat_lon_grid


def test_stages_weights_and_memory_are_shown(job, tmp_path):
    cache = tmp_path / "cache"
    config = {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "regrid": {"cache": str(cache)},
        "output": {
            "a.nc": {
                "regrid": {"to": {"healpix": {"level": 2}}, "method": "bilinear"},
                "pyramid": {"levels": 1},
                "variables": [
                    {"field": "w", "time": "mean", "every": "2 s"},
                    {"field": "w", "name": "most", "time": "max", "every": "2 s"},
                ],
            }
        },
    }
    play = model(2, grids=[lat_lon_grid()], fields=[field("w", "globe")], times=[0.0, 1.0, 2.0, 3.0, 4.0])
    result = job(play, servers(1), config=config).finished()
    (declared,) = result.path(".").glob("**/declared.*.json")

    def check() -> str:
        return tailrace.check(str(result.path("tailrace.yaml")), {}, str(declared))

    text = check()
    assert "each record: mean and weights may change places, and no value is missing" in text
    assert "each sample: max and weights cannot change places" in text
    assert "maxima of four cells (coverage 0.5, fracarea), each record of the next finer level" in text
    assert "for weights of regridding, all the time: healpix level 2 nested" in text
    (weights,) = cache.iterdir()
    assert f'grid "globe" to healpix level 2 nested, bilinear: cached as {weights}' in text
    weights.rename(tmp_path / "elsewhere.nc")
    assert f"bilinear: to be made as {weights}" in check()
