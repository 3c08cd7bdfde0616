"""tools/check_classes: it finds classes in two files, which this tree has not, and warns of sizes."""

import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parent.parent.parent
CLEAN = (0, "check_classes: 0 errors, 0 warnings\n")


def check(tree: Path) -> tuple[int, str]:
    done = subprocess.run([sys.executable, TREE / "tools" / "check_classes", tree], capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def warned(line: str) -> tuple[int, str]:
    return 0, f"{line} (warning)\ncheck_classes: 0 errors, 1 warnings\n"


def write(tree: Path, path: str, *lines: str) -> None:
    (tree / path).parent.mkdir(parents=True, exist_ok=True)
    (tree / path).write_text("\n".join(lines) + "\n")


def test_classes_in_one_file_each_pass(tmp_path):
    write(
        tmp_path,
        "src/time/axis.cpp",
        "namespace tailrace::time {",
        "Axis::Axis(int kind) : kind_(kind) {}",
        "Axis::~Axis() = default;",
        "std::vector<Axis::Edge> Axis::edges_until(const Tick& tick) { return other::Maker::make(tick); }",
        "bool Axis::operator==(const Axis& other) const { return true; }",
        "}  // namespace tailrace::time",
    )
    # A call, or a class of another namespace, is not a second place.
    write(
        tmp_path,
        "src/time/ruler.cpp",
        "namespace tailrace::time {",
        "void fold() {",
        "  Axis::advance(1);",
        "}",
        "const Axis axis = Axis::make(1);",
        "using Edge = Axis::Edge(int);",
        "}  // namespace tailrace::time",
        "namespace tailrace::output {",
        "Axis::Axis(int kind) {}",
        "}  // namespace tailrace::output",
    )
    assert check(tmp_path) == CLEAN


@pytest.mark.parametrize(
    "member",
    [
        "void Engine::end() {}",
        "Engine::~Engine() = default;",
        "std::vector<int> Engine::steps(int from,",
        "bool Engine::Blocks::open() const {",  # a nested class belongs to the class around it
        "const std::map<int, std::string>& Engine::names() const {",
        "Engine& Engine::operator=(Engine&&) noexcept = default;",
        "int Engine<int>::size() {",
    ],
)
def test_a_class_in_two_files_is_found(tmp_path, member):
    write(tmp_path, "src/analytics/engine.cpp", "namespace tailrace::analytics {", "Engine::Engine() {}", "}")
    write(tmp_path, "src/analytics/engine_more.cpp", "namespace tailrace::analytics {", member, "}")
    status, output = check(tmp_path)
    assert status == 1
    assert output == (
        "src/analytics/engine_more.cpp:2: members of tailrace::analytics::Engine, which are also defined in "
        "src/analytics/engine.cpp (error)\ncheck_classes: 1 errors, 0 warnings\n"
    )


def test_a_full_folder(tmp_path):
    for number in range(20):
        write(tmp_path, f"src/room/part_{number}.hpp", "#pragma once")
    for number in range(20):
        write(tmp_path, f"src/room/inside/part_{number}.cpp", "")
    assert check(tmp_path) == CLEAN
    write(tmp_path, "src/room/one_more.cpp", "")
    assert check(tmp_path) == warned("src/room: 21 sources, more than 20")


@pytest.mark.parametrize(
    "path", ["src/room/a.cpp", "bindings/fortran/tailrace.f90", "python/tailrace/a.py", "tools/a", "tests/a/test_a.py"]
)
def test_a_long_file(tmp_path, path):
    write(tmp_path, path, *["! line"] * 400)
    assert check(tmp_path) == CLEAN
    write(tmp_path, path, *["! line"] * 401)
    assert check(tmp_path) == warned(f"{path}: 401 lines, more than 400")


def test_data_is_not_a_source(tmp_path):
    write(tmp_path, "tests/config/data/table.py", *["# line"] * 500)
    assert check(tmp_path) == CLEAN


def test_a_long_signature(tmp_path):
    write(
        tmp_path,
        "src/room/a.cpp",
        "namespace tailrace {",
        "void five(int a, std::map<int, int> b, double c, double d, std::vector<int> e = {1, 2, 3}) {}",
        "Thing::Thing(int a, int b, int c, int d, int e, int f) : a_(a) {}",
        "}",
    )
    status, output = check(tmp_path)
    assert status == 0
    assert output.startswith("src/room/a.cpp:3: ")
    assert "has 6 parameters, more than 5 (warning)\n" in output
    assert output.endswith("check_classes: 0 errors, 1 warnings\n")


def test_this_tree_has_no_class_in_two_files():
    status, output = check(TREE)
    assert status == 0, output
