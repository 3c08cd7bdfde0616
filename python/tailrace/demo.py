"""The demo: the density current of Straka et al. (1993) on two cores, its pictures and the run's report."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import click

PROGRAM = "bubble"
SETTINGS = ("demo.yaml", "demo.nml")
PLOT = "plot.py"


class NotFound(RuntimeError):
    """Something that the demo needs is not where it is looked for."""


class Occupied(RuntimeError):
    """The folder holds something that no demo made."""


def example() -> Path:
    """The folder with the demo's model, its settings and its plot script, which tools/link_python links here."""
    folder = Path(os.environ.get("TAILRACE_DEMO") or Path(sys.prefix) / "share" / "tailrace" / "demo")
    for name in (PROGRAM, *SETTINGS, PLOT):
        if not (folder / name).exists():
            raise NotFound(
                f"the demo needs {folder / name}: run ./quickstart in the source tree, and its .venv/bin/tailrace; "
                "or name another folder in TAILRACE_DEMO"
            )
    return folder


def model_ranks(cores: int) -> int:
    """One core is left to the server; more than four ranks gain nothing on so small a case."""
    return min(max(cores - 1, 1), 4)


def play(into: Path) -> None:
    """Runs the demo into a new or empty folder, or one with an earlier demo, and prints what it made."""
    from tailrace.run import run

    model = example()
    into = into.resolve()
    prepare(into, model)
    ranks = model_ranks(len(os.sched_getaffinity(0)))
    click.echo(f"Density current of Straka et al. (1993): {ranks} model rank{'s' * (ranks > 1)} and 1 server")
    begin = time.monotonic()
    with contextlib.chdir(into):
        status = run(Path("demo.yaml"), [str(model / PROGRAM), "demo.nml"], ranks=ranks, servers=1)
    if status:
        raise RuntimeError(f"the model ended with status {status}")
    click.echo(f"The run took {time.monotonic() - begin:.0f} s.")
    pictures = draw(model / PLOT, into)
    tell(into, pictures)


def prepare(into: Path, model: Path) -> None:
    """Removes the files of an earlier demo and nothing else."""
    into.mkdir(parents=True, exist_ok=True)
    found = sorted(path.name for path in into.iterdir())
    if found and not set(SETTINGS) <= set(found):
        raise Occupied(
            f"{into} holds {found[0]}{' and more' if len(found) > 1 else ''}, and no earlier demo; "
            "name a new or empty folder with --into"
        )
    for old in (*into.glob("demo_*.nc"), *into.glob("pictures/*.png"), *into.glob("pictures/*.gif")):
        old.unlink()
    for name in SETTINGS:
        shutil.copy(model / name, into / name)


def draw(script: Path, into: Path) -> list[Path]:
    """The picture sequence, made from the written file alone."""
    pictures = into / "pictures"
    pictures.mkdir(exist_ok=True)
    snapshots = into / "demo_snapshots.nc"
    command = [sys.executable, str(script), str(snapshots), str(pictures)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{script.name} could not draw {snapshots}: {done.stderr.strip()[-500:]}")
    return sorted(path for path in pictures.iterdir() if path.suffix in {".png", ".gif"})


def tell(into: Path, pictures: list[Path]) -> None:
    click.echo(f"\nMade in {into}, each file with one time axis:")
    for path in sorted(into.glob("*.nc")):
        click.echo(f"  {path.name:<20} {path.stat().st_size / 1e6:>4.1f} MB  {what_is_in(path)}")
    if pictures:
        click.echo(f"  {pictures[0].parent.name + '/':<20} {len(pictures)} pictures, of demo_snapshots.nc alone")
    for name in ("report.html", "report.json"):
        page = into / "tailrace_report" / name
        if page.exists():
            click.echo(f"  {page.relative_to(into)}")
    click.echo(f"Try: ncdump -h {into / 'demo_means.nc'}")


def what_is_in(path: Path) -> str:
    """How many records along `time`, and which variables."""
    import h5py

    with h5py.File(path) as data:
        names = [name for name, one in data.items() if one.ndim and one.dims[0].values() == [data["time"]]]
        return f"{data['time'].size} times of {', '.join(name for name in names if name not in ('time', 'time_bnds'))}"
