"""Target files: which code is generated, how fields lie in memory, and in which order loops run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from .messages import StencilError, unknown

FOLDER = Path(__file__).parent / "targets"
CODES = ("serial", "openmp", "mpi", "cuda")
# Words that a user may try, with what there is instead.
NOT_THERE = {
    **dict.fromkeys(("hip", "openacc", "offload", "openmp_offload", "gpu"), "use cuda, serial or openmp"),
    **dict.fromkeys(("single", "float"), "all numbers have double precision"),
}
LOCATIONS = ("cell", "edge", "vertex")
KEYS = ("target", "code", "layout", "outer_loop", "pragmas")
PRAGMAS = ("parallel", "innermost")


@dataclass(frozen=True)
class Layout:
    """Where (point, level) lies: fastest "point": level * points + point; "level": point * levels + level; with a block
    of B > 1 points: ((point / B) * levels + level) * B + point % B. A block of 1 is none."""

    fastest: str = "point"
    block: int = 1


@dataclass(frozen=True)
class Target:
    name: str
    code: str
    layouts: dict[str, Layout]
    outer_loop: str  # level or point
    parallel: str | None  # a pragma for the outer loop
    innermost: str | None  # a pragma for the innermost loop


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def load(name: str) -> Target:
    """name: one of `targets/`, or the path of a file. Raises StencilError, whose message begins with the path."""
    path = Path(name) if name.endswith((".yaml", ".yml")) else FOLDER / f"{name}.yaml"
    if not path.exists():
        refuse_what_is_not_there(name, "the target ")
        raise StencilError(None, unknown(name, "target, nor the path of a .yaml file", names()))
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StencilError(None, f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise StencilError(None, f"{path}: byte {error.start} is not UTF-8 text") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise StencilError(None, f"{where}: {getattr(error, 'problem', None) or 'no YAML'}") from None
    try:
        return read(data, path.stem)
    except StencilError as error:
        raise StencilError(None, f"{path}: {error.message}") from None


def refuse_what_is_not_there(word: str, where: str):
    if word.lower() in NOT_THERE:
        raise StencilError(None, f'{where}"{word}" is not there; {NOT_THERE[word.lower()]}')


def mapping(value, where: str, known: tuple[str, ...]) -> dict:
    if not isinstance(value, dict):
        raise StencilError(None, f"{where}: expected a map with {', '.join(known)}")
    for key in value:
        if key not in known:
            raise StencilError(None, f"{where}: {unknown(str(key), 'key', known)}")
    return value


def one_of(value, where: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise StencilError(None, f"{where}: {unknown(str(value), 'choice', known)}")
    return value


def read(data, name: str) -> Target:
    if isinstance(data, dict) and "precision" in data:
        raise StencilError(None, "precision: is no choice; all numbers have double precision")
    data = mapping(data, "target", KEYS)
    code = data.get("code", "serial")
    refuse_what_is_not_there(str(code), "code: ")
    one_of(code, "code", CODES)
    layouts = {location: Layout() for location in LOCATIONS}
    for location, value in mapping(data.get("layout", {}), "layout", LOCATIONS).items():
        layouts[location] = layout(value, f"layout.{location}")
    pragmas = mapping(data.get("pragmas", {}), "pragmas", PRAGMAS)
    for key, text in pragmas.items():
        if not isinstance(text, str) or "\n" in text or not text.strip():
            raise StencilError(None, f"pragmas.{key}: expected the text of a pragma in one line")
    threads = code in ("openmp", "mpi")
    default = "omp parallel for schedule(static)" if threads else None
    if code == "cuda" and (pragmas or "outer_loop" in data):
        raise StencilError(None, "pragmas, outer_loop: threads of a GPU replace the loops; expected neither")
    if not threads and "parallel" in pragmas:
        expected = 'expected "code: openmp" or "code: mpi"'
        raise StencilError(None, f"pragmas.parallel: {code} code has no parallel loops; {expected}")
    name = str(data.get("target", name))
    if not re.fullmatch(r"[\w.+ -]{1,60}", name, re.ASCII):
        raise StencilError(None, f"target: {name!r} is no name; expected letters, digits and .+-_")
    outer = one_of(data.get("outer_loop", "level"), "outer_loop", ("level", "point"))
    return Target(name, code, layouts, outer, pragmas.get("parallel", default), pragmas.get("innermost"))


def layout(value, where: str) -> Layout:
    value = mapping(value, where, ("fastest", "block"))
    fastest = one_of(value.get("fastest", "point"), f"{where}.fastest", ("point", "level"))
    block = value.get("block", 1)
    if type(block) is not int or not 1 <= block <= 65536:
        raise StencilError(None, f"{where}.block: expected a number of points from 1 to 65536")
    if fastest == "level" and block != 1:
        raise StencilError(None, f'{where}.block: blocks need "fastest: point"')
    return Layout(fastest, block)
