"""`tailrace weights`."""

from pathlib import Path

import click


@click.group()
def weights() -> None:
    """Make, show and check weights of regridding without a job."""


FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@weights.command()
@click.argument("source", type=FILE)
@click.argument("target")
@click.option(
    "-m",
    "--method",
    default="conservative",
    show_default=True,
    help="conservative, bilinear, nearest, average, largest_area, or a FILE.",
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file to make."
)
@click.option("-j", "--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Processes.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def make(source: Path, target: str, method: str, output: Path, jobs: int, force: bool) -> None:
    """Make weights from the grid of SOURCE to TARGET.

    SOURCE is a NetCDF file with a grid: CF coordinates, a mesh of UGRID, SCRIP, or HEALPix. TARGET is such a file, or
    the words of `to:` of a configuration, such as "latlon: 1 deg", "gaussian: F128" or "healpix: {level: 8}". With a
    file of weights by another program (SCRIP, ESMF, CDO, YAC) as --method, it is checked and converted.
    """
    from tailrace.weights.commands import make as make_weights

    click.echo(make_weights(source, target, method, output, jobs, force).text())


@weights.command()
@click.argument("file", type=FILE)
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw a test function on both grids, and its error.",
)
@click.option("--force", is_flag=True, help="Replace an existing picture.")
def show(file: Path, picture: Path | None, force: bool) -> None:
    """Show what the weights of FILE do: sizes, method, sums of rows, coverage, conservation."""
    from tailrace.weights.commands import show as show_weights

    click.echo(show_weights(file, picture, force).text())


@weights.command(name="check")
@click.argument("file", type=FILE)
@click.option("--source", type=FILE, metavar="GRID", help="The weights must be from the grid of this file.")
@click.option("--target", metavar="GRID", help="The weights must be to this grid: a file, or words as for make.")
def check_weights(file: Path, source: Path | None, target: str | None) -> None:
    """Check the weights, or the grid, of FILE, and name the first cell that is wrong."""
    from tailrace.weights.commands import check as check_file

    click.echo(check_file(file, source, target))
