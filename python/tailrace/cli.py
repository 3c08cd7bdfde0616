"""The `tailrace` command. Each sub-command is a few lines; the work is done elsewhere.

Exit status: 0 for success, 2 for a wrong command line or configuration, 1 for every other error.
An error is printed as one line, `tailrace: error: ...`, never as a traceback.
"""

import sys
from pathlib import Path

import click

STATUS_OF_CONFIGURATION = 2
STATUS_OF_FAILURE = 1
USER_MISTAKES = ("usage", "configuration")  # codes of tailrace.Error


class Failed(click.ClickException):
    """An error whose message is ready for the user."""

    def __init__(self, message: str, status: int = STATUS_OF_FAILURE):
        super().__init__(message)
        self.exit_code = status


class Options(click.ParamType):
    """`key=value`, as the model would give with `option`."""

    name = "key=value"

    def convert(self, value, param, ctx):
        if isinstance(value, tuple):
            return value
        key, separator, text = value.partition("=")
        if not separator or not key:
            self.fail(f"{value!r} is not of the form key=value", param, ctx)
        return key, text


def say_version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    del parameter
    if not wanted or context.resilient_parsing:
        return
    from tailrace import _core

    click.echo(_core.version())
    context.exit()


CONFIG = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=say_version, help="Print the version."
)
def cli() -> None:
    """Carries fields away from an Earth-system model without holding the model back."""


@cli.command()
@click.argument("config", type=CONFIG)
@click.option("-D", "options", type=Options(), multiple=True, help="An option of the model, such as x_size=64.")
@click.option(
    "--declared",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The declarations of a model: declared.COMPONENT.json in a run's report directory. With them fields, shapes, "
    "units and diagnostics are checked too, and the plan of the diagnostics is printed.",
)
@click.option(
    "--graph",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the plan of the diagnostics as a graph for Graphviz's dot.",
)
@click.option(
    "--restart",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A directory of checkpoints, or one: say whether a run would go on from the newest, before the job waits in a "
    "queue. Needs --declared.",
)
def check(config: Path, options, declared: Path | None, graph: Path | None, restart: Path | None) -> None:
    """Check CONFIG without running a model and print the plan. The files of `input` are opened."""
    from tailrace import _core

    if graph and not declared:
        raise click.UsageError("--graph needs --declared: the plan depends on the shapes of the model's fields")
    if restart and not declared:
        raise click.UsageError("--restart needs --declared: a checkpoint belongs to the fields and grids of a model")
    click.echo(_core.check(config, dict(options), declared, restart).rstrip("\n"))
    if graph:
        graph.write_text(_core.plan_graph(config, declared, dict(options)))


@cli.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "-n",
    "--ranks",
    type=click.IntRange(1),
    required=True,
    metavar="RANKS",
    help="Number of ranks of PROGRAM. Without --servers it includes the ranks that become servers (servers: count).",
)
@click.option(
    "--servers",
    type=click.IntRange(0),
    metavar="N",
    help="Number of server ranks to add as separate programs (tailrace serve). All ranks of PROGRAM then "
    "belong to the model.",
)
@click.option(
    "--mpirun",
    metavar="COMMAND",
    help="The launcher: a path or a command with options, as in a shell: --mpirun 'srun --mpi=pmix'. "
    "By default mpirun or mpiexec on the PATH.",
)
@click.argument("config", type=CONFIG)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def run(ranks: int, servers: int | None, mpirun: str | None, config: Path, program: tuple[str, ...]) -> None:
    """Start PROGRAM under MPI with its servers and show its progress.

    tailrace run -n RANKS [--servers N] [--mpirun COMMAND] CONFIG -- PROGRAM ARGS...
    """
    from tailrace.run import run as run_job

    program = program[1:] if program[0] == "--" else program
    sys.exit(run_job(config, list(program), ranks=ranks, servers=servers, mpirun=mpirun))


@cli.command()
@click.option(
    "--yac",
    "coupling",
    type=CONFIG,
    metavar="COUPLING",
    help="Run as a component of a job that YAC couples, with YAC's configuration COUPLING: fields that it couples to "
    "this component are written, and fields that others get from it come from the files of `input`. The section `yac` "
    "of CONFIG has its grids.",
)
@click.option(
    "--group",
    metavar="NAME",
    help="Run in a job whose programs divide MPI_COMM_WORLD by an MPI handshake, as those of YAC do: serve the models "
    "that name the group NAME in theirs, and start their sessions on its communicator.",
)
@click.argument("config", type=CONFIG)
def serve(coupling: Path | None, group: str | None, config: Path) -> None:
    """Run as a server rank of an MPMD launch: mpirun -n 6 ./model : -n 2 tailrace serve CONFIG"""
    from tailrace import _core

    if coupling is not None and group is not None:
        raise click.UsageError("--yac and --group cannot be used together: YAC takes part in its own handshake")
    if group is not None:
        return serve_named_group(config, group)
    if coupling is not None:
        from tailrace.yac import serve as serve_coupled

        return serve_coupled(coupling, config)

    _core.serve(str(config))


def serve_named_group(config: Path, group: str) -> None:
    try:
        from mpi4py import MPI

        from tailrace.launch.handshake import HandshakeError, serve_group
    except ImportError as error:
        raise click.ClickException(f"--group needs mpi4py: pip install mpi4py ({error})") from error
    try:
        serve_group(str(config), group)
    except HandshakeError as error:
        click.echo(f"tailrace: error: {error}", err=True)
        MPI.COMM_WORLD.Abort(2)  # the other programs may wait for this one


@cli.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path), default="tailrace_report")
def report(directory: Path) -> None:
    """Show the report of a run from DIRECTORY (default: tailrace_report)."""
    from tailrace.report import show

    show(directory)


@cli.command()
@click.option("--into", type=click.Path(file_okay=False, path_type=Path), default="demo", show_default=True)
def demo(into: Path) -> None:
    """Run the density current, plot it, and list the files made."""
    from tailrace.demo import play

    play(into)


class FilesOrDialect(click.Group):
    """A group whose first argument may be a file, or the name of a dialect, instead of the name of a command."""

    def list_commands(self, context: click.Context) -> list[str]:
        from tailrace import _core

        return [*super().list_commands(context), *_core.configuration_dialects()]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        from tailrace import _core

        notation = _core.configuration_dialects().get(name)
        return conversion_of(name, notation) if notation else super().get_command(context, name)

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        known = {*self.list_commands(context), *context.help_option_names}
        if arguments and arguments[0] not in known:
            arguments = ["files", *arguments]
        return super().parse_args(context, arguments)


@cli.group(cls=FilesOrDialect, subcommand_metavar="[--jobs N] [--force] SOURCE TARGET | DIALECT FILE")
def convert() -> None:
    """Convert data files (SOURCE to TARGET), or the configuration of another I/O server (its DIALECT) to YAML.

    tailrace convert SOURCE TARGET: see tailrace convert files --help.
    """


@convert.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Number of processes (default: one for each core, and one for small files).",
)
@click.option("--force", is_flag=True, help="Replace an existing TARGET.")
def files(source: Path, target: Path, jobs: int | None, force: bool) -> None:
    """Convert SOURCE (NetCDF, Zarr or BP) to TARGET (*.nc or *.zarr) with the same bits.

    Values and attributes are copied as they are stored: packed numbers stay packed, times stay numbers. TARGET gets its
    name when it is whole.
    """
    from tailrace.convert import convert as convert_files

    contents = convert_files(source, target, jobs=jobs, force=force)
    click.echo(f"{target}: {len(contents.variables)} variables of {source}")


def conversion_of(dialect: str, notation: str) -> click.Command:
    """The command that converts configurations in a dialect."""

    @click.command(name=dialect, help=f"Convert FILE, {notation}, with its includes, to a configuration.")
    @click.argument("file", type=CONFIG)
    @click.option("-D", "options", type=Options(), multiple=True, help="Set an option of the model, such as mm=20.0.")
    @click.option("--legacy", is_flag=True, help="Keep the program's values even where they are wrong.")
    @click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        help="The file to write (default: standard output).",
    )
    def convert_configuration(file: Path, options, legacy: bool, output: Path | None) -> None:
        from tailrace import _core

        made = _core.convert_configuration(dialect, str(file), dict(options), legacy)
        for warning in made.warnings:
            click.echo(f"tailrace: warning: {warning}", err=True)
        if output is None:
            click.echo(made.text.rstrip("\n"))
        else:
            output.write_text(made.text, encoding="utf-8")

    return convert_configuration


@cli.command()
def reference() -> None:
    """Print every option of the configuration as a Markdown page."""
    from tailrace import _core

    click.echo(_core.reference().rstrip("\n"))


@cli.command()
def schema() -> None:
    """Print the JSON schema of the configuration, for editors."""
    from tailrace import _core

    click.echo(_core.schema().rstrip("\n"))


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PATHS...")
@click.option("--repair", is_flag=True, help="Repair what a killed run left behind.")
def inspect(paths: tuple[Path, ...], repair: bool) -> None:
    """Check whether files and checkpoints that Tailrace wrote can be read, and repair them on request.

    A file is a NetCDF file, a Zarr store or a BP dataset. A directory stands for the checkpoints in it, or, if there
    are none, for its files (*.nc, *.zarr, *.bp).
    """
    from tailrace import _core
    from tailrace.checkpoints import files_of_output, inspect_directory

    inspected = unreadable = 0
    for path in paths:
        files = files_of_output(path) if path.is_dir() else [path]
        for file in files:
            inspection = _core.inspect(str(file), repair)
            click.echo(inspection.report)  # which begins with the path
            unreadable += not inspection.readable
        if not files:
            unreadable += inspect_directory(path, repair)
        inspected += len(files) or 1
    if unreadable:
        hint = "" if repair else "; tailrace inspect --repair may repair this"
        kind = "paths" if any(path.is_dir() for path in paths) else "files"
        raise Failed(f"{unreadable} of {inspected} {kind} cannot be read{hint}")


@cli.command()
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


@cli.command()
def plugins() -> None:
    """Print the folder for HDF5_PLUGIN_PATH, with which readers of HDF5 decode the codec lorenzo."""
    from tailrace.plugins import plugin_folder

    click.echo(plugin_folder())


@cli.group()
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


@cli.group()
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


@cli.command()
def version() -> None:
    """Print the version."""
    from tailrace import _core

    click.echo(_core.version())


def status_of(error: Exception) -> int:
    """2 for the mistakes of a user, 1 for the rest."""
    return STATUS_OF_CONFIGURATION if getattr(error, "code", None) in USER_MISTAKES else STATUS_OF_FAILURE


def say_error(message: str) -> None:
    print(f"tailrace: error: {message}", file=sys.stderr)


def main(arguments: list[str] | None = None) -> None:
    """Runs a command line and exits."""
    try:
        cli.main(arguments, prog_name="tailrace", standalone_mode=False)
    except click.UsageError as error:
        say_error(error.format_message())
        sys.exit(STATUS_OF_CONFIGURATION)
    except click.ClickException as error:
        say_error(error.format_message())
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        say_error("interrupted")
        sys.exit(130)
    except Exception as error:  # the last line of defence: one line instead of a traceback
        say_error(str(error) or type(error).__name__)
        sys.exit(status_of(error))
    sys.exit(0)


if __name__ == "__main__":
    main()
