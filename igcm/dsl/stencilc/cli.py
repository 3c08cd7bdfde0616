"""The command stencilc."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from . import explain, mesh, output, parser, target
from .analysis import Analysis, analyse
from .messages import StencilError, render, unknown

EPILOG = (
    """Without --target, "serial". Exit status: 0 for success, 1 for a mistake in a source, 2 for one in the command."""
)
COMMANDS = ("check", "explain")


def options() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="stencilc", description="Makes C of stencils that are written once, in C (.gg.c) or Fortran (.gg.f90).",
        epilog=EPILOG,
    )  # fmt: skip
    result.add_argument(
        "words", nargs="+", metavar="[explain | check] FILE", help="sources; explain prints what kernels do"
    )
    result.add_argument("-t", "--target", default="serial", help=f"a .yaml file, or {', '.join(target.names())}")
    result.add_argument("-o", "--output", type=Path, default=Path(), metavar="FOLDER", help="where files are written")
    result.add_argument("--levels", type=int, default=40, help="for the intensity that explain prints (40)")
    result.add_argument("--no-lines", action="store_true", help="no #line directives in generated code, for reading it")
    result.add_argument("--watch", action="store_true", help="go on, and generate again whenever a source changes")
    return result


def complain(path: str, text: str, error: StencilError):
    print(render(path, text, error.at, error.message), file=sys.stderr)


def load(path: str) -> Analysis | None:
    """Prints warnings; None when there is a mistake, which is printed."""
    text = ""
    try:
        text = parser.text_of(path)
        result = analyse(parser.parse(text, path, parser.language_of(path)))
        output.stem_of(path)
    except StencilError as error:
        complain(path, text, error)
        return None
    for at, message in result.warnings:
        print(render(path, text, at, message, "warning"), file=sys.stderr)
    return result


def generate(path: str, chosen: target.Target, folder: Path, lines_lead: bool) -> bool:
    analysis = load(path)
    if analysis is None:
        return False
    try:
        for written in output.write(folder, output.files(analysis, chosen, lines_lead)):
            print(written)
    except StencilError as error:
        complain(path, analysis.source.text, error)
        return False
    except OSError as error:
        print(f"stencilc: {error.filename or folder}: cannot be written: {error.strerror}", file=sys.stderr)
        return False
    return True


def watch(paths: list[str], chosen: target.Target, folder: Path, lines_lead: bool):
    """Until it is interrupted. Looks at times of files, twice a second."""
    seen: dict[str, int | None] = {}
    while True:
        for path in paths:
            try:
                now = Path(path).stat().st_mtime_ns
            except OSError:
                now = None
            if path not in seen or seen[path] != now:
                seen[path] = now
                generate(path, chosen, folder, lines_lead)
                sys.stdout.flush()
        time.sleep(0.5)


def main(arguments: list[str] | None = None) -> int:
    try:
        status = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # a reader such as head has read enough; what is still buffered goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def run(arguments: list[str] | None) -> int:
    chosen = options().parse_args(arguments)
    command, paths = "", list(chosen.words)
    if "." not in paths[0]:
        command, *paths = paths
        if command not in COMMANDS:
            print(f"stencilc: {unknown(command, 'source, nor a command', COMMANDS)}", file=sys.stderr)
            return 2
    if not paths:
        print(f"stencilc: {command}: expected a source (known meshes: {', '.join(mesh.names())})", file=sys.stderr)
        return 2
    if chosen.levels < 1:
        print("stencilc: --levels: expected at least 1", file=sys.stderr)
        return 2
    if command:
        found = [load(path) for path in paths]
        for analysis in filter(None, found if command == "explain" else []):
            print(explain.explain(analysis, chosen.levels))
        return 0 if all(found) else 1
    sources = [Path(path).name for path in paths]
    for path, name in zip(paths, sources, strict=True):
        if sources.count(name) > 1:
            print(
                f"stencilc: {path}: one of two sources of this name; call stencilc for each, with its own -o",
                file=sys.stderr,
            )
            return 2
    try:
        code = target.load(chosen.target)
    except StencilError as error:
        print(f"stencilc: --target: {error.message}", file=sys.stderr)
        return 2
    if chosen.watch:
        try:
            watch(paths, code, chosen.output, not chosen.no_lines)
        except KeyboardInterrupt:
            return 0
    done = [generate(path, code, chosen.output, not chosen.no_lines) for path in paths]
    return 0 if all(done) else 1
