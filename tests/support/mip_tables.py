"""A small table of variables and one of coordinates, in the format of github.com/PCMDI/cmip6-cmor-tables (which CMOR
reads; those of CMIP7, github.com/WCRP-CMIP/cmip7-cmor-tables, differ like `SEVEN`). The texts here are our own."""

import json
from pathlib import Path

HEADER = {"table_id": "Table Amon", "missing_value": "1e20", "int_missing_value": "-999", "generic_levels": "alevel"}
COMMON = {"modeling_realm": "atmos", "cell_measures": "area: areacella", "type": "real", "positive": ""}


def entry(name: str, frequency: str, units: str, dimensions: str, cell_methods: str, **more) -> dict:
    own = {"out_name": name, "frequency": frequency, "units": units, "dimensions": dimensions}
    return COMMON | own | {"cell_methods": cell_methods, "long_name": f"the {name}", "comment": ""} | more


PLANE = "longitude latitude time"
AMON = {
    "tas": entry(
        "tas", "mon", "K", f"{PLANE} height2m", "area: time: mean", standard_name="air_temperature", comment="near it"
    ),
    "tasmax": entry("tasmax", "mon", "K", f"{PLANE} height2m", "area: mean time: maximum"),
    "rsus": entry("rsus", "mon", "W m-2", PLANE, "area: time: mean", positive="up"),
    "ta": entry("ta", "mon", "K", "longitude latitude alevel time", "time: mean", standard_name="air_temperature"),
    "tasDaily": entry("tas", "mon", "K", PLANE, "area: mean time: maximum within days time: mean over days"),
    "taClim": entry(
        "ta", "monC", "K", "longitude latitude alevel time2", "time: mean within years time: mean over years"
    ),
}
HOURS = {"tas": entry("tas", "3hrPt", "K", f"{PLANE[:-4]}time1 height2m", "area: mean time: point")}
FIXED = {"orog": entry("orog", "fx", "m", "longitude latitude", "area: mean", standard_name="surface_altitude")}
SEVEN = {
    "tas_tavg-h2m-hxy-u": {
        "cell_methods": "area: time: mean",
        "dimensions": ["longitude", "latitude", "time", "height2m"],
        "long_name": "air temperature near the surface",
        "out_name": "tas",
        "standard_name": "air_temperature",
        "units": "K",
    }
}
AXES = {
    "height2m": {"out_name": "height", "standard_name": "height", "units": "m", "axis": "Z", "positive": "up"}
    | {"value": "2.", "requested": "", "long_name": "height above ground", "bounds_values": ""},
    "alevel": {"out_name": "lev", "value": "", "requested": "", "units": ""},
}


def write(folder: Path, coordinates: bool = True) -> Path:
    """Writes the tables into a folder within `folder`, and returns it."""
    tables = folder / "Tables"
    tables.mkdir(exist_ok=True)

    def table(name: str, content: dict) -> None:
        (tables / f"{name}.json").write_text(json.dumps(content, indent=4))

    table("CMIP6_Amon", {"Header": HEADER, "variable_entry": AMON})
    table("CMIP6_3hr", {"Header": HEADER, "variable_entry": HOURS})
    table("CMIP6_fx", {"Header": HEADER, "variable_entry": FIXED})
    table("CMIP7_atmos", {"Header": HEADER | {"table_id": "atmos", "type": "real"}, "variable_entry": SEVEN})
    if coordinates:
        table("CMIP6_coordinate", {"axis_entry": AXES})
        table("CMIP7_coordinate", {"axis_entry": AXES})
    return tables
