"""The dashboard and the guide ask for metrics that there are."""

import json
import re

import made_up
from status_pages import commit, server
from support.harness import TREE
from tailrace.watch import metrics
from tailrace.watch.numbers import Run

NAME = re.compile(r"\btailrace_[a-z_]+\b")


def known(tmp_path) -> set[str]:
    """All names, of a run that has everything."""
    page = server(lag=made_up.timings(2, 0.5))
    page["components"][0]["model_seconds_per_second"] = 4.0
    durable = {"seconds_to_durable": 2.5, "bytes": 3 << 20, "bytes_per_second": 1.0, "model_seconds": 0.25}
    page["checkpoints"] = [{"component": "bubble", "count": 1, "step": 6, "time": 3.0} | durable]
    late = {"reads": 3, "bytes_read": 5, "late": 1, "late_seconds": 0.1}
    page["inputs"] = [{"component": "bubble", "field": "sst"} | late]
    made_up.write(page, tmp_path / "status.json")
    (tmp_path / "commits.jsonl").write_text(commit("a.nc", 1.0) + "\n")
    run = Run(tmp_path, until=1e6)
    families = metrics.families_of(run.look(), run.snapshot)
    return {family.name for family in families} | {
        family.name + one[0] for family in families for one in family.samples
    }


def test_the_dashboard_asks_for_metrics_that_there_are(tmp_path):
    dashboard = json.loads((TREE / "examples" / "dashboard" / "tailrace.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(asked) > 10
    assert {name for text in asked for name in NAME.findall(text)} <= known(tmp_path)
    places = [panel["gridPos"] for panel in dashboard["panels"]]
    cells = [
        (x, y) for at in places for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(cells) == len(set(cells)), "panels do not overlap"


def test_the_guide_names_metrics_that_there_are(tmp_path):
    text = (TREE / "docs" / "guide" / "watch.md").read_text().partition("## In Prometheus")[2]
    assert set(NAME.findall(text)) <= known(tmp_path)
