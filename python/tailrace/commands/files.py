"""Commands that look at output: `inspect`, `advise`."""

from pathlib import Path

import click

from .shared import Failed


def existing_or_remote(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]):
    """Paths, which must exist, and names on object stores, which a Path would change."""
    existing = click.Path(exists=True, path_type=Path)
    return tuple(
        value if value.startswith("s3://") else existing.convert(value, parameter, context) for value in values
    )


@click.command()
@click.argument("paths", nargs=-1, required=True, callback=existing_or_remote, metavar="PATHS...")
@click.option("--repair", is_flag=True, help="Repair what a killed run left behind.")
def inspect(paths: tuple[Path | str, ...], repair: bool) -> None:
    """Check whether files and checkpoints that Tailrace wrote can be read, and repair them on request.

    A file is a NetCDF file, a Zarr store (also one on an object store, s3://BUCKET/NAME) or a BP dataset. A directory
    stands for the checkpoints in it, or, if there are none, for its files (*.nc, *.zarr, *.bp).
    """
    from tailrace import _core
    from tailrace.checkpoints import files_of_output, inspect_directory

    inspected = unreadable = 0
    for path in paths:
        is_directory = isinstance(path, Path) and path.is_dir()
        files = files_of_output(path) if is_directory else [path]
        for file in files:
            inspection = _core.inspect(str(file), repair)
            click.echo(inspection.report)  # which begins with the path
            unreadable += not inspection.readable
        if not files:
            unreadable += inspect_directory(path, repair)
        inspected += len(files) or 1
    if unreadable:
        local = [path for path in paths if isinstance(path, Path)]  # stores on object stores are not repaired
        hint = "; tailrace inspect --repair may repair this" if local and not repair else ""
        kind = "paths" if any(path.is_dir() for path in local) else "files"
        raise Failed(f"{unreadable} of {inspected} {kind} cannot be read{hint}")


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE...")
@click.option(
    "--keep", multiple=True, metavar="BOUND", help="A bound as under `keep`, such as 'absolute: 0.1'. May be repeated."
)
@click.option("--codec", multiple=True, metavar="NAME", help="A codec (default: zlib, zstd, lorenzo). May be repeated.")
@click.option("--variable", multiple=True, metavar="NAME", help="Look at this variable alone. May be repeated.")
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw the ratios, and the spectra of signal and errors.",
)
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write the figures as JSON."
)
@click.option("--force", is_flag=True, help="Replace an existing picture or output.")
def advise(files, keep, codec, variable, picture: Path | None, output: Path | None, force: bool) -> None:
    """Show what lossy compression would do to the variables of sample output.

    A FILE is a NetCDF file or a Zarr store, which is only read. Samples of its variables of float32 and float64 are
    compressed as a server would, by codec and bound. The last lines are for a configuration.
    """
    from tailrace.advise import advise as advise_on

    click.echo(advise_on(files, keep, codec, variable, picture, output, force))
