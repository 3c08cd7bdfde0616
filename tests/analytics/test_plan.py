"""The plan of the diagnostics, as `tailrace check` shows it from what a model declared in a run."""

import json
import re

import numpy as np
import pytest
import yaml
from analytics.support.jobs import Case
from support.harness import CONFIGURATION, servers, tailrace

DIAGNOSTICS = {
    "profile": "mean(w, y, x)",
    "flux": "mean((w - profile) * (w - profile), y, x)",
    "twice": "2 * mean(w, y, x)",
    "ranked": "quantile(w, y, x, q=0.5)",
    "column": "max(w, z)",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plan")
    case = Case(2, servers(2), steps=1).grid("g", "zyx", (3, 4, 5), parts={"y": 2})
    case.field("w", np.arange(60.0).reshape(1, 3, 4, 5), grid="g", units="m s-1")
    case.run(folder, case.configuration(DIAGNOSTICS)).finished()
    return folder


def check(folder, *more):
    declared = folder / "tailrace_report" / "declared.model.json"
    return tailrace("check", CONFIGURATION, "--declared", str(declared), *more, cwd=folder)


def test_every_node_with_its_place_and_cost(run):
    said = check(run)
    assert said.returncode == 0, said.stderr
    head, *lines = said.stdout[said.stdout.index("diagnostics: ") :].splitlines()
    assert head.startswith("diagnostics: 5, computed by ")
    nodes = [line for line in lines if re.match(r" +\d+  ", line)]
    assert all("  [" in line for line in nodes)
    for name in DIAGNOSTICS:
        assert sum(line.endswith(f"=> {name}") for line in nodes) == 1, said.stdout
    # Three diagnostics share one mean, and the flux relative to it needs a second phase.
    (profile,) = [line for line in nodes if line.endswith("=> profile")]
    (flux,) = [line for line in nodes if line.endswith("=> flux")]
    assert "shared by" in profile and "[z 3]" in profile and "whole, at server" in profile and "phase 0" in profile
    assert "phase 1" in flux
    (column,) = [line for line in nodes if line.endswith("=> column")]
    assert "in the ranks' blocks" in column and "[y 4, x 5]" in column and "cost: " in column
    number = profile.split()[0]
    assert any(line.startswith("  from server") and number in line for line in lines), said.stdout
    assert [line for line in lines if line.startswith("phase ")] == ["phase 0", "phase 1"]
    assert any("one pass over [z 3, y 4, x 5]" in line for line in lines)


def test_what_it_takes_of_the_memory(run):
    said = check(run).stdout
    memory = said[said.index("memory: about ") : said.index("volume, ")]
    # w has 3 x 4 x 5 numbers on two servers; results are four profiles and a plane.
    assert "384 B for a step that diagnostics work on: 240 B for" in memory, said
    assert "240 B of a step from each of 2 model ranks" in memory
    assert "for what its files get at one step" in memory
    assert "2 MiB for the caches of HDF5" in memory


def test_what_it_takes_on_disk_at_the_pace_of_that_run(run):
    def hourly(text: str) -> float:
        number, unit = re.search(r", ([\d.e+]+) (\w+) an hour of wall clock", text).groups()
        return float(number) * 1024.0 ** ["B", "KiB", "MiB", "GiB", "TiB", "PiB"].index(unit)

    said = check(run).stdout
    total, *lines = said[said.index("volume, ") : said.index("diagnostics: ")].splitlines()
    report = json.loads((run / "tailrace_report" / "report.json").read_text())
    steps_per_hour = 3600.0 * min(client["steps"] / client["run_seconds"] for client in report["clients"])
    # Profile, flux, twice: 3 numbers each; ranked: 1 or more; column: 4 x 5.
    (profile,) = [line for line in lines if "profile: chunks of " in line]
    assert re.search(r"chunks of \d+ x 3, ", profile)
    assert hourly(total) == pytest.approx(steps_per_hour * 8 * (3 + 3 + 3 + 3 + 20), rel=1e-3)

    (run / "tailrace_report" / "report.json").rename(run / "report.json")
    said = check(run).stdout
    (run / "report.json").rename(run / "tailrace_report" / "report.json")
    assert "an hour of wall clock" not in said[said.index("volume, ") :]


def test_the_graph_for_graphviz(run):
    assert check(run, "--graph", "plan.dot").returncode == 0
    graph = (run / "plan.dot").read_text()
    nodes = set(re.findall(r"^  ([nd]\d+) \[label=", graph, re.MULTILINE))
    edges = re.findall(r"^  ([nd]\d+) -> ([nd]\d+);", graph, re.MULTILINE)
    assert {end for edge in edges for end in edge} == nodes
    assert {node for node in nodes if node[0] == "d"} == {f"d{i}" for i in range(len(DIAGNOSTICS))}
    assert graph.startswith("digraph diagnostics {") and graph.count("{") == graph.count("}")


def test_a_graph_replaces_nothing(run):
    (run / "kept.dot").write_text("of another\n")
    before = (run / CONFIGURATION).read_text()
    refused = {"kept.dot": "exists; expected", CONFIGURATION: "exists and is read", "no/a": "no directory"}
    for name, told in refused.items():
        for force in ["--force"] * (name != "kept.dot"), []:
            said = check(run, "--graph", name, *force)
            assert said.returncode == 1 and f"{name}: " in said.stderr and told in said.stderr
    assert (run / "kept.dot").read_text() == "of another\n" and (run / CONFIGURATION).read_text() == before
    assert check(run, "--graph", "kept.dot", "--force").returncode == 0
    assert (run / "kept.dot").read_text().startswith("digraph")
    assert "--force needs --graph" in check(run, "--force").stderr


def test_a_changed_configuration_is_checked_without_the_model(run):
    config = yaml.safe_load((run / CONFIGURATION).read_text())
    config["diagnostics"]["flux"]["is"] = "mean(ww * ww, yy)"
    (run / "changed.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    declared = run / "tailrace_report" / "declared.model.json"
    said = tailrace("check", "changed.yaml", "--declared", str(declared), cwd=run)
    assert said.returncode != 0
    assert "changed.yaml:" in said.stderr and 'Did you mean "w"?' in said.stderr


def test_what_is_no_declaration(run):
    said = tailrace("check", CONFIGURATION, "--declared", "tailrace_report/report.json", cwd=run)
    assert said.returncode != 0 and "report.json: it does not contain the declarations of a model" in said.stderr
    said = tailrace("check", CONFIGURATION, "--graph", "plan.dot", cwd=run)
    assert said.returncode != 0 and "--graph needs --declared" in said.stderr
