"""Each key of the schema with each kind of mistake: misspelt, with an invalid value, or absent although required. The
message has the place, the path, and the expectation or the nearest key."""

import json

import pytest
import tailrace
import yaml
from support.harness import TREE

SCHEMA = json.loads((TREE / "docs" / "reference" / "schema.json").read_text())
NAMES = {"output": "a.nc", "fields": "state"}  # examples of keys that the user chooses
# Options that are refused with `not available yet`; and old names, for which messages use the new ones.
NOT_YET = {("output", "*a.nc", "state")}
FORMERLY = {"series": "file_per_write", "overwrite": "if_exists"}


def alternatives(schema: dict) -> list[dict]:
    found = [schema]
    for one in schema.get("anyOf", []):
        found += alternatives(one)
    return found


def keys(schema: dict, path: tuple = ()):
    """(path, schema, whether it is required) of each key; a name in a path that begins with * is chosen by the user."""
    for one in alternatives(schema):
        for key, inner in one.get("properties", {}).items():
            yield (*path, key), inner, key in one.get("required", [])
            yield from keys(inner, (*path, key))
        if isinstance(one.get("additionalProperties"), dict):
            yield from keys(
                one["additionalProperties"], (*path, "*" + NAMES.get(path[-1], "some") if path else "*some")
            )
        if isinstance(one.get("items"), dict):
            yield from keys(one["items"], (*path, 0))


ALL = {path: (schema, required) for path, schema, required in keys(SCHEMA) if not NOT_YET & {path[:1], path}}


def configuration(path: tuple, value) -> str:
    """A configuration with only that key and its parents."""
    for step in reversed(path):
        value = [value] if step == 0 else {str(step).removeprefix("*"): value}
    # The key is alone on its line, so that the line identifies it.
    return "tailrace: 1\n" + yaml.safe_dump(value, sort_keys=False)


def words(path: tuple) -> str:
    """The path as in messages."""
    path = (*path[:-1], FORMERLY.get(path[-1], path[-1]))
    text = ""
    for step in path:
        text += "[0]" if step == 0 else ("." if text else "") + str(step).removeprefix("*")
    return text


def complaint(tmp_path, text: str) -> str:
    file = tmp_path / "run.yaml"
    file.write_text(text)
    with pytest.raises(tailrace.Error) as caught:
        tailrace.check(str(file))
    return str(caught.value)


def siblings(path: tuple) -> set[str]:
    return {other[-1] for other in ALL if other[:-1] == path[:-1]}


def misspelt(path: tuple) -> str:
    key = path[-1]
    for slip in (key[:-1] + key[-1] * 2, key + "x", key[:-1]):
        if slip not in siblings(path):
            return slip
    raise AssertionError(path)


def line_of(text: str, key: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), start=1) if line.strip(" -").startswith(f"{key}:"))


@pytest.mark.parametrize("path", [path for path in ALL if path != ("tailrace",)], ids=words)
def test_a_typing_error_gets_the_nearest_key(tmp_path, path):
    slip = misspelt(path)
    text = configuration((*path[:-1], slip), {})
    told = complaint(tmp_path, text)
    line = next((one for one in told.splitlines() if f"{words((*path[:-1], slip))}:" in one), told)
    assert f"run.yaml:{line_of(text, slip)}:" in line, told
    hint = line.split("Did you mean", 1)[-1] if "Did you mean" in line else line.split("known:", 1)[-1]
    assert path[-1] in hint, told


def wrong_value(schema: dict):
    """A value of a wrong kind: a list for a single value, a single value for a list or map."""
    kinds = set()
    for one in alternatives(schema):
        kinds |= {one["type"]} if isinstance(one.get("type"), str) else set(one.get("type", []))
        kinds |= {"string"} if "enum" in one else set()
    if "array" not in kinds:
        return [["a"], ["b"]]
    return {"a": {"b": 1}} if "object" not in kinds else None


@pytest.mark.parametrize(
    "path", [path for path in ALL if path != ("tailrace",) and wrong_value(ALL[path][0])], ids=words
)
def test_a_value_of_another_kind_is_refused(tmp_path, path):
    text = configuration(path, wrong_value(ALL[path][0]))
    told = complaint(tmp_path, text)
    lines = [line for line in told.splitlines() if words(path) in line and "run.yaml:" in line]
    assert any("expected" in line or "is unknown" in line for line in lines), told


def choices(path: tuple) -> list[str]:
    schema = ALL[path][0]
    return [word for one in alternatives(schema) for word in one.get("enum", []) if isinstance(word, str)]


@pytest.mark.parametrize("path", list(filter(choices, ALL)), ids=words)
def test_a_typing_error_in_a_choice_gets_the_nearest_one(tmp_path, path):
    word = max(choices(path), key=len)
    told = complaint(tmp_path, configuration(path, word + "x"))
    line = next(line for line in told.splitlines() if f"{words(path)}:" in line)
    assert f'"{word}x"' in line and word in line.replace(f'"{word}x"', ""), told


def limits(path: tuple) -> list[float]:
    """The minimum, if the number has one."""
    least = [one["minimum"] for one in alternatives(ALL[path][0]) if "minimum" in one]
    return [number for number in least if number > -1e300]


@pytest.mark.parametrize("path", list(filter(limits, ALL)), ids=words)
def test_a_number_out_of_its_range_is_refused(tmp_path, path):
    told = complaint(tmp_path, configuration(path, int(min(limits(path))) - 1))
    assert any(words(path) in line and "expected" in line for line in told.splitlines()), told


@pytest.mark.parametrize("path", [path for path, (_, required) in ALL.items() if required and len(path) > 1], ids=words)
def test_a_missing_required_key_is_reported(tmp_path, path):
    inside = dict.fromkeys(sorted(siblings(path) - {path[-1], "keep"})[:1], "x")
    told = complaint(tmp_path, configuration(path[:-1], inside))
    assert f'"{path[-1]}" is missing' in told, told
