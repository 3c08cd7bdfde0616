"""Messages for diagnostics that are wrong, lack an input or cannot be computed. No run hangs."""

import numpy as np
import pytest
from analytics.support.jobs import Case
from support.harness import attached, inline, servers
from support.reading import read

STEPS = 6
W = np.random.default_rng(5).normal(size=(STEPS, 4, 6))


def case(ranks=2, serving=None, **field) -> Case:
    made = Case(ranks, serving or servers(2), steps=STEPS)
    made.grid("g", "yx", (4, 6), parts={"y": ranks}, coordinates={"y": range(4), "x": range(6)})
    return made.field("w", W, grid="g", units="m s-1").field("q", 2 * W, grid="g", units="K", **field)


# diagnostics, and texts that the message must contain
MISTAKES = {
    "unknown_field": ({"a": "sum(ww)"}, ['"ww"', 'Did you mean "w"?']),
    "unknown_function": ({"a": "summ(w)"}, ['no function "summ"', 'Did you mean "sum"?']),
    "unknown_dimension": ({"a": "sum(w, yy)"}, ['"yy" is not a dimension', "y"]),
    "units": ({"a": "w + q"}, ["m s-1", "K"]),
    "declared_units": ({"a": {"is": "sum(w)", "units": "K"}}, ["m s-1", "K"]),
    "cycle": ({"a": "b + 1", "b": "2 * a"}, ["a", "b"]),
    "itself": ({"a": "a + 1"}, ["a"]),
    "syntax": ({"a": "sum(w, y"}, [")"]),
    "wrong_argument": ({"a": "quantile(w, q=2)"}, ['"q" must lie from 0 to 1']),
    "empty": ({"a": ""}, []),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_mistakes_are_reported_before_the_first_step(tmp_path, kind):
    diagnostics, pieces = MISTAKES[kind]
    one = case()
    result = one.run(tmp_path, one.configuration(diagnostics))
    result.failed_with("tailrace.yaml:", *pieces)


def test_all_mistakes_are_reported_together(tmp_path):
    one = case()
    result = one.run(tmp_path, one.configuration({"a": "sum(ww)", "b": "mean(w, yy)", "c": "w"}))
    result.failed_with('"ww"', '"yy"')


def test_periods_that_never_meet(tmp_path):
    one = case()
    fields = {"often": {"every": "2 steps", "names": ["w"]}, "seldom": {"every": "3 steps", "names": ["q"]}}
    output = [{"field": "a", "time": "snapshot", "every": "6 steps"}]
    result = one.run(tmp_path, one.configuration({"a": "sum(w) * sum(q)"}, output=output, fields=fields))
    result.failed_with("neither period is a multiple of the other", "2 steps", "3 steps")


def test_an_undeclared_optional_field_drops_only_its_diagnostics(tmp_path):
    one = case()
    fields = {"state": {"names": ["w", "q"]}, "extra": {"names": ["cloud"], "optional": True}}
    diagnostics = {"a": "sum(w)", "b": {"is": "sum(cloud)", "optional": True}, "c": {"is": "b * a", "optional": True}}
    result = one.run(tmp_path, one.configuration(diagnostics, fields=fields)).finished()
    data = read(result.path("out.nc"))
    assert {"b", "c"}.isdisjoint(data.variables)
    np.testing.assert_allclose(data.a.values, W.sum(axis=(1, 2)), rtol=1e-12)
    assert result.output.count("the model has no field cloud; left out: b, c") == 1
    assert 'tailrace.yaml:9:7  fields.extra.names: the model declares no field "cloud"' in result.output


def test_an_undeclared_field_is_an_error(tmp_path):
    one = case()
    result = one.run(tmp_path, one.configuration({"a": "sum(w)", "b": "sum(cloud)"}))
    result.failed_with("tailrace.yaml:", '"cloud"')


SERVING = {"one": servers(1), "three": servers(3), "mpi": servers(2, transport="mpi"), "attached": attached()}
SERVING["inline"] = inline()


@pytest.mark.parametrize("how", SERVING)
def test_an_optional_field_that_is_no_longer_put(tmp_path, how):
    one = case(3, SERVING[how], absent_from=4)
    fields = {"state": {"names": ["w"]}, "extra": {"names": ["q"], "optional": True}}
    diagnostics = {"a": "sum(w)", "b": "sum(q)", "local": "q * 2", "both": "sum(w, y) * max(q)"}
    output = [{"field": name, "time": "snapshot", "every": "1 step"} for name in diagnostics]
    output += [{"field": name, "name": f"{name}_mean", "time": "mean", "every": "2 s"} for name in diagnostics]
    output += [{"field": name, "name": f"{name}_all", "time": "mean", "every": "1 h"} for name in diagnostics]
    result = one.run(tmp_path, one.configuration(diagnostics, output=output, fields=fields)).finished()
    data = read(result.path("out.nc"))
    values = {
        "a": W.sum(axis=(1, 2)),
        "b": 2 * W.sum(axis=(1, 2)),
        "local": 4 * W,
        "both": W.sum(axis=1) * 2 * W.max(axis=(1, 2))[:, None],
    }
    for name, each in values.items():
        there = each.copy()
        if name != "a":
            there[3:] = np.nan
        np.testing.assert_allclose(seen(data[name]), there, rtol=1e-12)
        pairs = there.reshape(3, 2, *there.shape[1:])
        some = [pair[~np.isnan(pair).reshape(2, -1).any(axis=1)] for pair in pairs]
        expected = np.array([pair.mean(axis=0) if len(pair) else np.full(there.shape[1:], np.nan) for pair in some])
        np.testing.assert_allclose(seen(data[f"{name}_mean"]), expected, rtol=1e-12)
        whole = each if name == "a" else each[:3]
        np.testing.assert_allclose(seen(data[f"{name}_all"])[0], whole.mean(axis=0), rtol=1e-11)
    assert "q" in result.output


def test_a_field_that_must_be_put(tmp_path):
    one = case(absent_from=4)
    result = one.run(tmp_path, one.configuration({"b": "sum(q)"}))
    result.failed_with('field "q" was wanted at step 4 but not put')


def seen(variable) -> np.ndarray:
    fill = variable.attrs.get("_FillValue", variable.encoding.get("_FillValue"))
    return np.where(variable.values == fill, np.nan, variable.values)
