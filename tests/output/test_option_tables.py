"""Options of the model as text in the files, read by stock readers."""

import netCDF4
import pytest
import xarray
from support.harness import attached, block_grid, field, model, servers

OPTIONS = {"q_indicies.vapour": 1, "q_indicies.rain": 2, "x_size": -11}
TABLES = {
    "options_database": {"prefix": "", "dimension": "number_options"},
    "q_indicies": {"dimension": "active_q_indicies"},
    "absent": {"optional": True},
}


@pytest.mark.parametrize("serving", [servers(2), attached()], ids=["servers", "attached"])
def test_read_by_others(job, serving):
    config = {
        "fields": {"state": {"names": ["u"]}},
        "output": {
            "out.nc": {
                "write_every": "2 s",
                "file_per_write": True,
                "option_tables": TABLES,
                "variables": [{"field": "u", "every": "1 s"}],
            }
        },
    }
    scenario = {"grids": [block_grid()], "fields": [field("u", "les")], "times": [1.0, 2.0, 3.0], "options": OPTIONS}
    result = job(model(3, **scenario), serving, config=config).finished()
    all_of_them = {name: str(value) for name, value in OPTIONS.items()}
    for name in ("out_2.0.nc", "out_4.0.nc"):
        with netCDF4.Dataset(result.path(name)) as data:
            assert data["options_database"].dimensions == ("number_options", "kvp", "string")
            assert data["options_database"].dtype == "S1"
            assert dict(netCDF4.chartostring(data["options_database"][:])) == all_of_them
            assert "absent" not in data.variables
        with xarray.open_dataset(result.path(name), decode_times=False) as data:
            assert data["q_indicies"].dims == ("active_q_indicies", "kvp")
            assert data["q_indicies"].values.tolist() == [[b"rain", b"2"], [b"vapour", b"1"]]


def test_without_the_options(job):
    config = {
        "fields": {"state": {"names": ["u"]}},
        "output": {
            "out.nc": {"option_tables": {"q_indices": {}}, "variables": [{"field": "u", "every": "1 s"}]},
        },
    }
    scenario = {"grids": [block_grid()], "fields": [field("u", "les")], "times": [1.0]}
    job(model(2, **scenario), servers(1), config=config).failed_with(
        'output.out.nc.option_tables.q_indices: the model gave no option whose name begins with "q_indices."'
    )
