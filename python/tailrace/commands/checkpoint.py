"""`tailrace checkpoint`."""

from pathlib import Path

import click

from .shared import Failed


@click.group()
def checkpoint() -> None:
    """Look after checkpoints between two jobs.

    DIRECTORY is checkpoint.directory of a configuration, the directory of one component in it, or one checkpoint.
    """


DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)


@checkpoint.command(name="list")
@click.argument("directory", type=DIRECTORY)
def list_checkpoints(directory: Path) -> None:
    """List the checkpoints in DIRECTORY."""
    from tailrace.checkpoints import show

    show(directory)


@checkpoint.command()
@click.argument("directory", type=DIRECTORY)
def verify(directory: Path) -> None:
    """Read every byte of the checkpoints in DIRECTORY and compare the checksums."""
    from tailrace.checkpoints import show

    bad = show(directory, verify=True)
    if bad:
        raise Failed(f"{bad} cannot be used; a restart takes the newest one that can")


@checkpoint.command()
@click.argument("directory", type=DIRECTORY)
@click.argument("target", type=click.Path(file_okay=False, path_type=Path))
@click.option("--step", type=click.IntRange(0), help="The checkpoint of this step (default: the newest complete one).")
def copy(directory: Path, target: Path, step: int | None) -> None:
    """Copy one checkpoint of each component in DIRECTORY to the directory TARGET, checking each byte."""
    from tailrace.checkpoints import copy as copy_checkpoints

    for path in copy_checkpoints(directory, target, step):
        click.echo(path)


@checkpoint.command()
@click.argument("directory", type=DIRECTORY)
def drain(directory: Path) -> None:
    """Drain what lies in the burst buffer of this node, of the checkpoints in DIRECTORY that wait there."""
    from tailrace import _core
    from tailrace.checkpoints import waiting

    for path in _core.Checkpoints(directory).drain():
        click.echo(f"drained {path}")
    left = waiting(directory)
    for line in left:
        click.echo(line)
    if left:
        raise Failed(f"{len(left)} still on nodes; run the command on those too")


@checkpoint.command()
@click.argument("directory", type=DIRECTORY)
@click.option("--keep", type=click.IntRange(1), required=True, metavar="N", help="How many complete ones to keep.")
def prune(directory: Path, keep: int) -> None:
    """Remove all but the newest N complete checkpoints of each component in DIRECTORY."""
    from tailrace import _core

    for path in _core.Checkpoints(directory).prune(keep):
        click.echo(f"removed {path}")
