"""Runs every fenced block of the documents, page by page, in the order of the page.

The words after the fence have these meanings:

  yaml                 with a `tailrace:` key a whole configuration, which `tailrace check` must accept; else a map
  json, csv            must parse; each line of a table has the same number of values
  python, bash run     run in the page's folder, and must succeed
  bash                 must parse, and a script (file=) passes shellcheck too
  fortran, c, cpp      whole programs are compiled against the installed package; without a main they are compiled only
  file=NAME            the block is written to NAME in the page's folder; a program is called NAME without its suffix
  fragment             shown out of its context: must parse if there is a parser, is not run
  text, console, ...   for reading only
"""

import ast
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from support.checkers import cdo_warnings
from support.harness import TREE, mpi_environment, tailrace

INSTALLED = Path(os.environ.get("TAILRACE_INSTALLED", TREE / "build" / "install"))
PAGES = sorted([TREE / "README.md", TREE / "CONTRIBUTING.md", *(TREE / "docs").rglob("*.md")])
TO_LOOK_AT = {"text", "console", "cmake", "toml", "diff", "nml", "ini", "make"}
COMPILERS = {"fortran": ("mpifort", ".f90"), "c": ("mpicc", ".c"), "cpp": ("mpicxx", ".cpp")}
FENCE = re.compile(r"^( *)(`{3,})([^`\n]*)\n(.*?)^\1\2`*\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)#\s]+)[^)]*\)")


@dataclass
class Block:
    page: Path
    line: int
    language: str
    words: list[str]
    text: str

    @property
    def file(self) -> str | None:
        return next((word.removeprefix("file=") for word in self.words if word.startswith("file=")), None)

    def __str__(self) -> str:
        return f"{self.page.relative_to(TREE)}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        indent, _, head, body = match.groups()
        language, *words = head.split() or ["text"]
        body = re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)
        found.append(Block(page, text.count("\n", 0, match.start()) + 1, language, words, body))
    return found


def environment() -> dict[str, str]:
    return mpi_environment(
        PATH=f"{Path(sys.executable).parent}{os.pathsep}{INSTALLED / 'bin'}{os.pathsep}{os.environ['PATH']}",
        CMAKE_PREFIX_PATH=str(INSTALLED),
        PKG_CONFIG_PATH=os.pathsep.join(str(path.parent) for path in INSTALLED.rglob("tailrace.pc")),
        TAILRACE_TREE=str(TREE),
        PYTHONPATH=str(TREE / "tests"),
    )


def must_run(block: Block, command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, f"{block}: {' '.join(command[:2])} ...\n{done.stdout}\n{done.stderr}"
    return done.stdout


def pkg_config(block: Block, folder: Path, *arguments: str) -> list[str]:
    return must_run(block, ["pkg-config", *arguments, "tailrace"], folder).split()


def try_csv(block: Block, folder: Path) -> None:
    lengths = {len(row) for row in csv.reader(block.text.splitlines(), skipinitialspace=True)}
    assert len(lengths) == 1, f"{block}: lines have different numbers of values"


def try_yaml(block: Block, folder: Path) -> None:
    content = yaml.safe_load(block.text)
    assert isinstance(content, dict), f"{block}: not a map"
    if "tailrace" in content and "fragment" not in block.words:
        name = block.file or "block.yaml"
        (folder / name).write_text(block.text)
        done = tailrace("check", name, cwd=folder)
        assert done.returncode == 0, f"{block}: {done.stderr}"


def try_python(block: Block, folder: Path) -> None:
    ast.parse(block.text, str(block))
    if "fragment" in block.words:
        return
    script = folder / (block.file or "block.py")
    script.write_text(block.text)
    if block.file is None or "run" in block.words:  # a file that is named is run by a later bash block
        must_run(block, [sys.executable, script.name], folder)


def try_bash(block: Block, folder: Path) -> None:
    if "run" in block.words:
        must_run(block, ["bash", "-euo", "pipefail", "-c", block.text], folder)
    else:
        must_run(block, ["bash", "-n", "-c", block.text], folder)
    if block.file and shutil.which("shellcheck"):  # a script for users
        must_run(block, ["shellcheck", block.file], folder)


def is_program(block: Block) -> bool:
    pattern = r"^\s*program\s+\w+" if block.language == "fortran" else r"\bmain\s*\("
    return re.search(pattern, block.text, re.MULTILINE) is not None


def try_compiled(block: Block, folder: Path) -> None:
    if "fragment" in block.words:
        return
    compiler, suffix = COMPILERS[block.language]
    source = folder / (block.file or f"block{suffix}")
    source.write_text(block.text)
    command = [compiler, source.name, *pkg_config(block, folder, "--cflags")]
    if block.language == "fortran":
        command += [f"-I{pkg_config(block, folder, '--variable=moduledir')[0]}"]
    if block.language == "cpp":
        command += ["-std=c++20"]
    if is_program(block):
        command += ["-o", source.stem] + (["-ltailrace_fortran"] if block.language == "fortran" else [])
        command += pkg_config(block, folder, "--libs")
    else:
        command += ["-c"]
    must_run(block, command, folder)


def try_json(block: Block, folder: Path) -> None:
    json.loads(block.text)
    if block.file:
        (folder / block.file).write_text(block.text)


TRY = {
    "yaml": try_yaml,
    "python": try_python,
    "bash": try_bash,
    "csv": try_csv,
    "json": try_json,
    "fortran": try_compiled,
    "c": try_compiled,
    "cpp": try_compiled,
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TREE)))
def test_every_block_of_a_page(page, tmp_path):
    for block in blocks_of(page):
        if block.language in TO_LOOK_AT:
            continue
        assert block.language in TRY, f"{block}: nothing is known about {block.language!r} (known: {', '.join(TRY)})"
        if block.file and block.language not in COMPILERS:
            (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.file).write_text(block.text)
        TRY[block.language](block, tmp_path)
    # Shards of checkpoints and weights of regridding are not output.
    others = [path for path in sorted(tmp_path.rglob("*.nc")) if not path.name.startswith("weights")]
    output = [path for path in others if not (path.parent / "manifest.json").exists()]
    assert cdo_warnings(*output) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TREE)))
def test_every_link_of_a_page_leads_somewhere(page):
    prose = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(prose):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), f"{page.relative_to(TREE)}: {target} is not there"


def test_every_page_is_in_the_index():
    index = TREE / "docs" / "README.md"
    linked = {(index.parent / target).resolve() for target in LINK.findall(index.read_text(encoding="utf-8"))}
    changelog = TREE / "docs" / "changelog"  # its README is listed, not each change
    pages = {*(TREE / "docs").rglob("*.md")} - {index, *changelog.glob("*.md")} | {changelog / "README.md"}
    missing = [page for page in pages if page.resolve() not in linked]
    assert missing == []
