"""`tailrace convert monc`: MONC's XML as a configuration, with warnings and errors."""

import re

import pytest
import yaml
from support.harness import TREE, tailrace

SHIPPED = TREE.parent / "shared" / "data" / "monc"

MAIN = """<io-configuration>
! dropped
#include "cfg/fields.xml"
<data-handling namespace="ns">
  <diagnostic field="VWP_mean" type="scalar" data_type="double" units="kg/m^2">
    <operator name="arithmetic" result="VWP_mean" equation="g/({x_size}*{y_size})*100"/>
    <communication name="reduction" operator="sum" result="g" field="l" root="auto"/>
    <operator name="localreduce" operator="sum" result="l" field="vwp"/>
  </diagnostic>
</data-handling>
<group name="g" namespace="ns"><member name="VWP_mean"/></group>
<data-writing>
  <file name="{file}" write_time_frequency="100.0" title="All">
    <include group="g" time_manipulation="averaged" output_frequency="{mm}"/>
  </file>
</data-writing>
</io-configuration>
"""

FIELDS = """<data-definition name="scalars" frequency="{n}" namespace="ns">
  <field name="vwp" type="array" data_type="double" optional=true/>
</data-definition>
"""

MEAN = {"group": "g", "time": "mean", "edges": "samples"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "cfg").mkdir()
    (tmp_path / "cfg" / "main.xml").write_text(MAIN)
    (tmp_path / "cfg" / "fields.xml").write_text(FIELDS)
    return tmp_path


def convert(folder, *arguments):
    return tailrace("convert", "monc", *arguments, cwd=folder)


def test_writes_yaml_and_warns(folder):
    result = convert(folder, "cfg/main.xml")
    assert result.returncode == 0, result.stderr
    assert yaml.safe_load(result.stdout) == {
        "tailrace": 1,
        "fields": {
            "scalars": {"every": "{n} steps", "namespace": "ns", "optional": True, "names": ["vwp"]},
        },
        "diagnostics": {
            "ns.VWP_mean": {"is": "sum(ns.vwp)/({x_size}*{y_size})*100", "units": "kg/m^2", "optional": True},
        },
        "groups": {"g": ["ns.VWP_mean"]},
        "output": {
            "{file}": {
                "attributes": {"title": "All", "Diagnostic write frequency": "100.0"},
                "write_every": "100.0 s",
                "file_per_write": True,
                "time_stamp": "end",
                "date_attribute": "created",
                "write_attributes": {
                    "time": "MONC time",
                    "step": "MONC timestep",
                    "previous_time": "Previous diagnostic write at",
                },
                "also_coordinates": ["z", "zn"],
                "option_tables": {
                    "options_database": {
                        "prefix": "",
                        "dimension": "number_options",
                        "width": 150,
                        "optional": True,
                        "without": ["q_indicies."],
                    }
                },
                "variables": [dict(MEAN, every="{mm} s", axis="time_series_{n}_{mm}")],
            },
        },
    }
    assert "tailrace: warning: cfg/main.xml:6:83  MONC reads the number 100 as 1" in result.stderr


def test_options_are_filled_in_and_legacy_keeps_values(folder):
    options = ["-D", "mm=20", "-D", "n=5", "-D", "file=out/a.nc"]
    result = convert(folder, "cfg/main.xml", *options, "--legacy", "-o", "made.yaml")
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    made = yaml.safe_load((folder / "made.yaml").read_text())
    assert made["legacy"] == "monc"
    assert made["diagnostics"]["ns.VWP_mean"]["is"] == "sum(ns.vwp)/({x_size}*{y_size})*1"
    (variable,) = made["output"]["out/a.nc"]["variables"]
    assert variable == dict(MEAN, every="20 s", axis="time_series_5_20.0")


def test_mistakes_name_the_place(folder):
    (folder / "cfg" / "main.xml").write_text(MAIN.replace('field="vwp"', 'field="vpw"'))
    result = convert(folder, "cfg/main.xml")
    assert result.returncode == 2
    assert 'cfg/main.xml:8:67  "vpw" is neither a field of a data definition' in result.stderr
    assert 'Did you mean "vwp"?' in result.stderr
    assert "Traceback" not in result.stderr


def test_an_include_that_is_missing(folder):
    (folder / "cfg" / "fields.xml").unlink()
    result = convert(folder, "cfg/main.xml")
    assert result.returncode == 2
    assert 'cfg/main.xml:3:11  the included file "cfg/fields.xml" does not exist' in result.stderr


@pytest.mark.skipif(not SHIPPED.exists(), reason="MONC's own files are not here")
@pytest.mark.parametrize("legacy", [[], ["--legacy"]])
def test_the_shipped_files(legacy):
    result = convert(SHIPPED, "io/io_cfg_files/data_write_1file.xml", *legacy)
    assert result.returncode == 0, result.stderr
    made = yaml.safe_load(result.stdout)
    texts = [path.read_text() for path in (SHIPPED / "io" / "io_cfg_files").glob("*.xml")]
    assert len(made["diagnostics"]) == sum(len(re.findall("<diagnostic ", text)) for text in texts) == 319
    maps_and_texts = 1
    named = sum(len(re.findall(r"<field ", text)) for text in texts) - maps_and_texts
    assert sum(len(group["names"]) for group in made["fields"].values()) == named
    assert list(made["output"]) == ["{checkpoint_file}", "{diagnostic_file}"]
    factor = "1" if legacy else "100"
    assert made["diagnostics"]["profile_fields.rh_mean"]["is"].endswith(f"/({{x_size}}*{{y_size}})*{factor}")


@pytest.mark.skipif(not SHIPPED.exists(), reason="MONC's own files are not here")
@pytest.mark.parametrize("name", ["2d_fields", "3d_fields", "scalar_fields", "socrates_fields", "checkpoint"])
def test_each_shipped_file_alone_and_from_its_own_folder(name):
    result = convert(SHIPPED / "io" / "io_cfg_files", f"{name}.xml")
    assert result.returncode == 0, result.stderr
    assert yaml.safe_load(result.stdout)["fields"]
