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
KEYS = ("target", "code", "layout", "outer_loop", "tile", "pragmas")
PRAGMAS = ("parallel", "innermost")
DEEPEST = 3  # maps within maps
MOST_POINTS = 65536  # of a block or a tile
DEFAULT_TILE = 512


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
    outer_loop: str  # level or point, within a tile
    tile: int  # points whose loops a thread runs one after the other
    parallel: str | None  # a pragma for the outer loop
    innermost: str | None  # a pragma for the innermost loop


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


class Places:
    """Where keys and values are in a YAML text: (line, column) by path, such as "layout.cell". Refuses a key that is
    there twice, of which YAML would take the last."""

    def __init__(self, text: str):
        self.keys: dict[str, tuple[int, int]] = {}
        self.values: dict[str, tuple[int, int]] = {}
        self.search(yaml.compose(text, yaml.SafeLoader), "", 0)

    def search(self, node: yaml.Node | None, path: str, depth: int):
        if node is not None:
            self.values[path] = position(node.start_mark)
        if not isinstance(node, yaml.MappingNode) or depth == DEEPEST:
            return
        for key, value in node.value:
            inner = f"{path}.{key.value}" if path else str(key.value)
            if inner in self.keys:
                raise yaml.MarkedYAMLError(problem=f"{inner}: is there twice", problem_mark=key.start_mark)
            self.keys[inner] = position(key.start_mark)
            self.search(value, inner, depth + 1)


def position(mark: yaml.Mark) -> tuple[int, int]:
    return mark.line + 1, mark.column + 1


class Mistake(StencilError):
    """In a target file. where: the path of what is wrong; is_key: the key itself, not its value."""

    def __init__(self, where: str, message: str, is_key: bool = False):
        super().__init__(None, f"{where or 'target'}: {message}")
        self.where, self.is_key = where, is_key


def load(name: str) -> Target:
    """name: one of `targets/`, or the path of a file. Raises StencilError, whose message begins with the path, and for
    what a file says with line and column."""
    path = Path(name) if name.endswith((".yaml", ".yml")) else FOLDER / f"{name}.yaml"
    if not path.exists():
        if word := not_there(name):
            raise StencilError(None, f"the target {word}")
        raise StencilError(None, unknown(name, "target, nor the path of a .yaml file", names()))
    try:
        text = path.read_text(encoding="utf-8")
        places = Places(text)
        return read(yaml.safe_load(text), path.stem)
    except OSError as error:
        raise StencilError(None, f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise StencilError(None, f"{path}: byte {error.start} is not UTF-8 text") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = "{}:{}".format(*position(mark)) if mark else "1:1"
        raise StencilError(None, f"{path}:{at}: {getattr(error, 'problem', None) or 'no YAML'}") from None
    except Mistake as error:
        found = places.keys if error.is_key else places.values
        at = "{}:{}".format(*found.get(error.where, places.values.get("", (1, 1))))
        raise StencilError(None, f"{path}:{at}: {error.message}") from None


def not_there(word: str) -> str | None:
    return f'"{word}" is not there; {NOT_THERE[word.lower()]}' if word.lower() in NOT_THERE else None


def mapping(value, where: str, known: tuple[str, ...]) -> dict:
    if not isinstance(value, dict):
        raise Mistake(where, f"expected a map with {', '.join(known)}")
    for key in value:
        if key not in known:
            mistake = Mistake(where, unknown(str(key), "key", known), is_key=True)
            mistake.where = f"{where}.{key}" if where else str(key)
            raise mistake
    return value


def one_of(value, where: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise Mistake(where, unknown(str(value), "choice", known))
    return value


def points(value, where: str) -> int:
    if type(value) is not int or not 1 <= value <= MOST_POINTS:
        raise Mistake(where, f"expected a number of points from 1 to {MOST_POINTS}")
    return value


def read(data, name: str) -> Target:
    if isinstance(data, dict) and "precision" in data:
        raise Mistake("precision", "is no choice; all numbers have double precision", is_key=True)
    data = mapping(data, "", KEYS)
    code = data.get("code", "serial")
    if word := not_there(str(code)):
        raise Mistake("code", word)
    one_of(code, "code", CODES)
    layouts = {location: Layout() for location in LOCATIONS}
    for location, value in mapping(data.get("layout", {}), "layout", LOCATIONS).items():
        layouts[location] = layout(value, f"layout.{location}")
    pragmas = mapping(data.get("pragmas", {}), "pragmas", PRAGMAS)
    for key, text in pragmas.items():
        if not isinstance(text, str) or "\n" in text or not text.strip():
            raise Mistake(f"pragmas.{key}", "expected the text of a pragma in one line")
    threads = code in ("openmp", "mpi")
    default = "omp parallel for schedule(static)" if threads else None
    for key in ("pragmas", "outer_loop", "tile"):
        if code == "cuda" and data.get(key):
            raise Mistake(key, "threads of a GPU replace the loops; expected no such key", is_key=True)
    if not threads and "parallel" in pragmas:
        expected = 'expected "code: openmp" or "code: mpi"'
        raise Mistake("pragmas.parallel", f"{code} code has no parallel loops; {expected}", is_key=True)
    name = data.get("target", name)
    if not isinstance(name, str) or not re.fullmatch(r"[\w.+ -]{1,60}", name, re.ASCII):
        raise Mistake("target", f"{name!r} is no name; expected letters, digits and .+-_")
    outer = one_of(data.get("outer_loop", "level"), "outer_loop", ("level", "point"))
    tile = points(data.get("tile", DEFAULT_TILE), "tile")
    return Target(name, code, layouts, outer, tile, pragmas.get("parallel", default), pragmas.get("innermost"))


def layout(value, where: str) -> Layout:
    value = mapping(value, where, ("fastest", "block"))
    fastest = one_of(value.get("fastest", "point"), f"{where}.fastest", ("point", "level"))
    block = points(value.get("block", 1), f"{where}.block")
    if fastest == "level" and block != 1:
        raise Mistake(f"{where}.block", 'blocks need "fastest: point"')
    return Layout(fastest, block)
