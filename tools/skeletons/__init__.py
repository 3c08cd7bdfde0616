"""Lays out what a room knows by name: the files of a new codec, format, operator, ... from the templates beside this
module, and one line in one list. A template such as `codec/source.cpp.in` holds `@name@` (run_length), `@Name@`
(RunLength) and `@room@` (codecs).
"""

import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent.parent
KEYWORDS = set((Path(__file__).parent / "cpp_keywords.txt").read_text().split())
OTHERS = {"fmt", "std", "testing", "tests"}  # namespaces and folders


@dataclass
class Listed:
    """A line that goes into a list: behind the first match of `behind` in `file`, or at its end."""

    file: str
    line: str
    behind: str = ""


@dataclass
class Skeleton:
    kind: str  # as users call it
    files: dict[str, str]  # template -> path
    listed: Listed
    room: str  # whose test program runs the test
    registered: str  # how a name that is taken looks in the sources
    searched: str = "@room@"  # where in src a name that is taken would be
    next_steps: Sequence[str] = ()

    def filled(self, text: str, name: str) -> str:
        return text.replace("@name@", name).replace("@Name@", pascal(name)).replace("@room@", self.room)


def pascal(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def place_of(pattern: str, folder: Path) -> str | None:
    """file:line of the first match in what is built into the library."""
    for path in sorted([*folder.rglob("*.cpp"), *folder.rglob("*.hpp")]):
        if {"tests", "testing"} & set(path.relative_to(folder).parts):
            continue
        text = path.read_text()
        if found := re.search(pattern, text):
            return f"{path.relative_to(TREE)}:{text.count(chr(10), 0, found.start()) + 1}"
    return None


def complaint(skeleton: Skeleton, name: str) -> str | None:
    """Why nothing can be called so."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        words = "_".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)).lower()
        hint = f"; try {words}" if re.match("[a-z]", words) else ""
        return f'"{name}" is not snake_case (a letter first; letters, digits and single underscores){hint}'
    if name in KEYWORDS:
        return f'"{name}" is a word of C++, and no namespace can be called so; choose another'
    is_folder = any("/@name@/" in target for target in skeleton.files.values())
    if is_folder and ((TREE / "src" / name).is_dir() or name in OTHERS):
        return f'"{name}" would hide a namespace or a folder of the house; choose another'
    searched = TREE / "src" / skeleton.filled(skeleton.searched, name)
    if taken := place_of(skeleton.filled(skeleton.registered, name), searched):
        return f'the {skeleton.kind} "{name}" is there already ({taken}); choose another name'
    for path in (skeleton.filled(target, name) for target in skeleton.files.values()):
        if (TREE / path).exists():
            return f"{path} is there already; choose another name"
    return None


def with_line(listed: Listed, line: str) -> str:
    """The list as it will be."""
    text = (TREE / listed.file).read_text()
    if not listed.behind:
        return f"{text}{line}\n"
    found = re.search(listed.behind, text, re.DOTALL)
    if not found:
        sys.exit(f"{listed.file} has no place for a line any more ({listed.behind})")
    return f"{text[: found.end()]}{line}\n{text[found.end() :]}"


def put_into_form(paths: list[Path]) -> None:
    """Names change the lengths of lines and the order of includes. Without the tool, pre-commit does this later."""
    for program, arguments, suffix in (("clang-format", ["-i"], {".cpp", ".hpp"}), ("ruff", ["format", "-q"], {".py"})):
        beside = Path(sysconfig.get_path("scripts")) / program
        found = str(beside) if beside.exists() else shutil.which(program)
        chosen = [str(path) for path in paths if path.suffix in suffix]
        if found and chosen:
            subprocess.run([found, *arguments, *chosen], cwd=TREE, check=True)


def lay_out(skeleton: Skeleton, name: str) -> list[Path]:
    """The list that was changed, and the files that were made."""
    templates = Path(__file__).parent
    files = {TREE / skeleton.listed.file: with_line(skeleton.listed, skeleton.filled(skeleton.listed.line, name))}
    for template, target in skeleton.files.items():
        files[TREE / skeleton.filled(target, name)] = skeleton.filled((templates / template).read_text(), name)
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    put_into_form(list(files))
    return list(files)


def run(usage: str, skeleton: Skeleton, arguments: Sequence[str]) -> None:
    """The work of every script, once it knows which skeleton is wanted: NAME is the only argument."""
    program = Path(sys.argv[0]).name
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        sys.exit(usage)
    name = arguments[0]
    if problem := complaint(skeleton, name):
        sys.exit(f"{program}: {problem}")
    print("\n".join(str(path.relative_to(TREE)) for path in lay_out(skeleton, name)))
    test = f"build/release/src/{skeleton.room}_test --gtest_filter='*{pascal(name)}{skeleton.kind.capitalize()}*'"
    print(f"\nIt works as it is: ninja -C build/release {skeleton.room}_test && {test}")
    for step in skeleton.next_steps:
        print(f"- {skeleton.filled(step, name)}")
