"""tools/new_*: each result compiles and satisfies its contract; it changes only its own files and one list.

The scripts run in a copy of the tree; only what they made is compiled, and linked with the objects of the room's test
program that the build has made already."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parent.parent.parent
BUILD = TREE / "build" / "release"


@dataclass
class Case:
    script: str
    arguments: list[str]
    made: set[str]
    listed: str
    room: str
    beside: tuple[str, str]  # an existing source and test with the same compile commands
    tests: str  # --gtest_filter

    @property
    def name(self) -> str:
        return next(word for word in self.arguments if word not in (self.room, "--reduction"))


CASES = [
    Case(
        "new_codec",
        ["thin_air"],
        {"src/codecs/thin_air.cpp", "src/codecs/tests/thin_air_test.cpp"},
        "src/codecs/README.md",
        "codecs",
        ("src/codecs/none.cpp", "src/codecs/tests/codec_test.cpp"),
        "ThinAirCodec.*:Codecs.*",
    ),
    Case(
        "new_format",
        ["clay"],
        {"src/output/clay/clay_format.cpp", "src/output/tests/clay_format_test.cpp"},
        "src/output/README.md",
        "output",
        ("src/output/registry.cpp", "src/output/tests/formats_test.cpp"),
        "ClayFormat.*:Formats.*",
    ),
    Case(
        "new_transport",
        ["pigeon_post"],
        {
            "src/transport/pigeon_post/pigeon_post_transport.cpp",
            "src/transport/tests/pigeon_post_transport_test.cpp",
        },
        "src/transport/README.md",
        "transport",
        ("src/transport/packet_source.cpp", "src/transport/tests/conformance_test.cpp"),
        "*PigeonPost*:Transports.*",
    ),
    Case(
        "new_sink",
        ["drain"],
        {"src/sinks/drain_sink.hpp", "src/sinks/drain_sink.cpp", "src/sinks/tests/drain_sink_test.cpp"},
        "src/sinks/README.md",
        "sinks",
        ("src/sinks/make_sink.cpp", "src/sinks/tests/sink_conformance_test.cpp"),
        "DrainSink.*",
    ),
    Case(
        "new_section",
        ["time", "weather"],
        {
            "src/time/weather_section.hpp",
            "src/time/weather_section.cpp",
            "src/time/tests/weather_section_test.cpp",
        },
        "src/settings/schema.cpp",
        "time",
        ("src/time/model_time.cpp", "src/time/tests/model_time_test.cpp"),
        "WeatherSection.*",
    ),
    Case(
        "new_operator",
        ["echo"],
        {"src/analytics/operators/echo.cpp", "src/analytics/operators/tests/echo_test.cpp"},
        "tests/analytics/support/operator_checks.py",
        "analytics",
        ("src/analytics/operators/sum.cpp", "src/analytics/operators/tests/conformance_test.cpp"),
        "EchoOperator.*:Operators.all_are_checked:Operators.are_documented",
    ),
    Case(
        "new_operator",
        ["head_count", "--reduction"],
        {"src/analytics/operators/head_count.cpp", "src/analytics/operators/tests/head_count_test.cpp"},
        "tests/analytics/support/operator_checks.py",
        "analytics",
        ("src/analytics/operators/sum.cpp", "src/analytics/operators/tests/conformance_test.cpp"),
        "HeadCountOperator.*:Operators.all_are_checked:Operators.are_documented",
    ),
]


class House:
    """A copy of the tree with its own history."""

    def __init__(self, root: Path):
        self.root = root
        listed = subprocess.run(
            ["git", "-C", TREE, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        for name in filter(None, listed.stdout.split("\0")):
            if (TREE / name).is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(TREE / name, root / name)
        self.git("init", "-q")
        self.commit()

    def git(self, *words: str) -> str:
        identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@nowhere"]
        done = subprocess.run(["git", "-C", self.root, *identity, *words], capture_output=True, text=True, check=True)
        return done.stdout

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "-q", "-m", "as it is")

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess:
        command = [sys.executable, self.root / "tools" / script, *arguments]
        return subprocess.run(command, cwd=self.root, capture_output=True, text=True)

    def changes(self) -> dict[str, str]:
        """file -> ?? (new) or M (changed)"""
        lines = self.git("status", "--porcelain", "--untracked-files=all").splitlines()
        return {line[3:]: line[:2].strip() for line in lines}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """The tree with everything that the scripts can make; `said` and `changed` record the effect of each."""
    house = House(tmp_path_factory.mktemp("house"))
    house.said, house.changed = {}, {}
    for case in CASES:
        done = house.run(case.script, *case.arguments)
        assert done.returncode == 0, done.stderr
        house.said[case.name], house.changed[case.name] = done.stdout, house.changes()
        house.commit()
    return house


def compile_command(beside: str, house: House, path: str, target: Path) -> list[str]:
    """The compile command of the file `beside`, without optimisation and precompiled headers, in the copy."""
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        if entry["file"] == str(TREE / beside):
            words = [word.replace(f"-I{TREE}", f"-I{house.root}") for word in shlex.split(entry["command"])]
            begin = words.index("-o")
            left_out = {at + step for at, word in enumerate(words) if word == "-include" for step in (0, 1)}
            kept = [
                word
                for at, word in enumerate(words[:begin])
                if at not in left_out and not word.startswith("-O") and word != "-Winvalid-pch"
            ]
            return [*kept, "-O0", "-Werror", "-o", str(target), "-c", str(house.root / path)]
    raise AssertionError(f"the build does not know {beside}")


def link_command(room: str, objects: list[Path], target: Path) -> list[str]:
    """The link command of the room's test program, with more objects."""
    said = subprocess.run(
        ["ninja", "-C", BUILD, "-t", "commands", "-s", f"src/{room}_test"], capture_output=True, text=True, check=True
    )
    line = next(line for line in said.stdout.splitlines() if f"-o src/{room}_test " in line)
    words = shlex.split(line.split("&&")[1])
    at = words.index("-o")
    words[at + 1] = str(target)
    return [*words[:at], *map(str, objects), *words[at:]]


def build(case: Case, house: House, folder: Path) -> Path:
    made = sorted(path for path in case.made if path.endswith(".cpp"))
    objects = [folder / f"{number}.o" for number in range(len(made))]
    commands = [
        compile_command(case.beside["/tests/" in path], house, path, target)
        for path, target in zip(made, objects, strict=True)
    ]
    program = folder / f"{case.room}_test"

    def call(command: list[str]) -> None:
        done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-8000:]

    with ThreadPoolExecutor(2) as two:
        list(two.map(call, commands))
    call(link_command(case.room, objects, program))
    return program


every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@every_case
def test_it_compiles_and_satisfies_its_contract(case, house, tmp_path):
    if not (BUILD / "src" / f"{case.room}_test").exists():
        pytest.fail(f"{case.room}_test is not built: run ./quickstart build")
    program = build(case, house, tmp_path)
    done = subprocess.run([program, f"--gtest_filter={case.tests}"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    suite = "".join(word.capitalize() for word in case.name.split("_"))
    assert f"{suite}" in done.stdout
    assert "keeps_the_contract" in done.stdout


@every_case
def test_it_touches_its_own_files_and_one_list(case, house):
    assert house.changed[case.name] == {**dict.fromkeys(case.made, "??"), case.listed: "M"}
    for path in (*case.made, case.listed):
        assert path in house.said[case.name]


@every_case
def test_its_list_has_one_line_more(case, house):
    before, after = (TREE / case.listed).read_text().splitlines(), (house.root / case.listed).read_text().splitlines()
    more = [line for line in after if line not in before]
    assert len([line for line in more if case.name in line]) == 1


def test_it_is_in_form(house, tmp_path):
    """The hooks that look at single files accept all that was made."""
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    skipped = {"SKIP": "rooms,classes,english", "PRE_COMMIT_HOME": str(tmp_path), "PATH": path}
    touched = sorted({name for case in CASES for name in (*case.made, case.listed)})
    command = [sys.executable, "-m", "pre_commit", "run", "--files", *touched]
    done = subprocess.run(command, cwd=house.root, env=os.environ | skipped, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("check", ["check_rooms", "check_classes"])
def test_no_check_of_the_house_names_what_was_made(check, house):
    """Their findings in the rest of the tree are for tests of their own."""
    done = house.run(check)
    assert f"{check}: " in done.stdout, done.stderr
    said = (done.stdout + done.stderr).splitlines()
    touched = {path for case in CASES for path in (*case.made, case.listed)}
    assert [line for line in said if any(path in line for path in touched)] == []


@pytest.mark.parametrize(
    ("script", "name", "expected"),
    [
        ("new_codec", "RunLength", '"RunLength" is not snake_case'),
        ("new_codec", "RunLength", "try run_length"),
        ("new_codec", "lz__4", '"lz__4" is not snake_case'),
        ("new_codec", "zlib", 'the codec "zlib" is there already (src/codecs/zlib.cpp:'),
        ("new_codec", "shuffle", "src/codecs/shuffle.cpp is there already"),
        ("new_format", "netcdf", 'the format "netcdf" is there already (src/output/netcdf/netcdf_format.cpp:'),
        ("new_format", "union", '"union" is a word of C++'),
        ("new_format", "model", '"model" would hide a namespace'),
        ("new_transport", "shm", 'the transport "shm" is there already (src/transport/shm/ring_segment.cpp:'),
        ("new_section", "time output", 'the section "output" is there already (src/settings/output_entry'),
        ("new_section", "sewer rain", '"sewer" is no room (rooms: base, calendar,'),
        ("new_section", "comm rain", "the room comm does not use config"),
        ("new_sink", "dataset", 'the sink "dataset" is there already (src/sinks/dataset_sink.hpp:'),
        ("new_operator", "argmin", 'the operator "argmin" is there already (src/analytics/operators/'),
        ("new_operator", "sqrt", 'the operator "sqrt" is there already (src/analytics/operators/elementwise.cpp:'),
        ("new_operator", "mean", 'the operator "mean" is there already (src/analytics/expression/rewrites.cpp:'),
    ],
)
def test_an_invalid_name_is_refused(script, name, expected, house):
    done = house.run(script, *name.split())
    assert done.returncode == 1
    assert done.stderr.startswith(f"{script}: ")
    assert expected in done.stderr
    assert house.changes() == {}


@pytest.mark.parametrize("script", sorted({case.script for case in CASES}))
def test_without_a_name_it_prints_its_usage(script, house):
    done = house.run(script)
    assert done.returncode == 1
    assert done.stderr.startswith("Lays out a new ")
    assert house.changes() == {}
